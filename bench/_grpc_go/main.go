// Command server answers gRPC calls with prepared messages, so that the client is what is measured.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// reply is what a method is answered with: messages, each after its length in four bytes.
type reply struct {
	File     string `json:"file"`
	Repeat   int    `json:"repeat"`
	messages [][]byte
}

type config struct {
	Crt, Key, Ca       string
	MaxAgeMs           int
	Window, MaxStreams int32
	Replies            map[string]*reply
}

// raw passes messages on as they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

var _ encoding.CodecV2 = raw{}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var c config
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &c); err != nil {
		log.Fatal(err)
	}
	for _, r := range c.Replies {
		for data := must(os.ReadFile(r.File)); len(data) > 0; {
			n := binary.BigEndian.Uint32(data)
			r.messages = append(r.messages, data[4:4+n])
			data = data[4+n:]
		}
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(c.Ca))
	pair := must(tls.X509KeyPair([]byte(c.Crt), []byte(c.Key)))
	options := []grpc.ServerOption{
		grpc.Creds(credentials.NewTLS(&tls.Config{
			Certificates: []tls.Certificate{pair},
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    clients,
		})),
		grpc.ForceServerCodecV2(raw{}),
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			method, _ := grpc.MethodFromServerStream(stream)
			switch method {
			case "/test/Echo":
				return echo(stream)
			case "/test/Hold": // answers, and ends when the client has
				first := []byte{1}
				if err := stream.SendMsg(&first); err != nil {
					return err
				}
				for {
					var request []byte
					if stream.RecvMsg(&request) != nil {
						return nil
					}
				}
			}
			r, ok := c.Replies[method]
			if !ok {
				return status.Error(codes.Unimplemented, method)
			}
			var request []byte
			if err := stream.RecvMsg(&request); err != nil {
				return err
			}
			for i := 0; i < r.Repeat; i++ {
				for k := range r.messages {
					if err := stream.SendMsg(&r.messages[k]); err != nil {
						return err
					}
				}
			}
			return nil
		}),
		grpc.MaxRecvMsgSize(32 << 20),
	}
	if c.MaxAgeMs > 0 {
		options = append(options, grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge:      time.Duration(c.MaxAgeMs) * time.Millisecond,
			MaxConnectionAgeGrace: time.Minute,
		}))
	}
	if c.Window > 0 {
		options = append(options, grpc.StaticStreamWindowSize(c.Window), grpc.StaticConnWindowSize(c.Window))
	}
	if c.MaxStreams > 0 {
		options = append(options, grpc.MaxConcurrentStreams(uint32(c.MaxStreams)))
	}
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(listener.Addr())
	log.Fatal(grpc.NewServer(options...).Serve(listener))
}

// echo sends back what it is sent; a message "end" is answered with a status.
func echo(stream grpc.ServerStream) error {
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if string(message) == "end" {
			return status.Error(codes.NotFound, "ended: 100 % ✓")
		}
		if err := stream.SendMsg(&message); err != nil {
			return err
		}
	}
}
