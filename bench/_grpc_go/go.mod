module server

go 1.24

require google.golang.org/grpc v1.85.0
