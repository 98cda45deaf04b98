/** Files that SOPS 3.13.3 has encrypted, for machines without it. */

/** The private key, which protects nothing else. */
export const testIdentity =
  "AGE-SECRET-KEY-1QTL2W8MQG7ANN97QG8UKXCC97MFJA9LQA2J0Z5R0XFKJCL7EG7HS2KNZT6";

export const testRecipient =
  "age12ta3emk9fdyyke8zmu2zvw29w6mwh6875pw7p55ld3rurku3hacszk7cp9";

/** Values of every kind, and two documents. */
export const manyKinds =
  `name: ENC[AES256_GCM,data:AOgDcQ==,iv:l+Y5eljh7jEII17lNMXHx92Ezb2WZC0nebsGxC7lonc=,tag:3m+gtAZlCL/iWviohVx/0A==,type:str]
password: ENC[AES256_GCM,data:HWhaURGbmuyL3Q0p,iv:eqQciiE3KLs6I0YSbftP3SmzzvQsCCJG2kZUjL162iY=,tag:aJRnKEvjM7i3gMQbbEHFUA==,type:str]
count: ENC[AES256_GCM,data:xQ==,iv:zJpsd/Hq7szhhQx3XgQta2fC7o7XUKYrZ5X1YxXUXqU=,tag:xJq8bZjN5o3RvVsNFzF0ng==,type:int]
ratio: ENC[AES256_GCM,data:niwD,iv:SuZVap0MCrxiQxzTHSBH5mU67nJ+ROH75ZyIrpxS6g0=,tag:RjnZ/yrRdFYfcrEAhskULw==,type:float]
on_off: ENC[AES256_GCM,data:0C6cAQ==,iv:68e8EgpJGg0Ks9T/ZHIuNMBsvHPrbXo0w1h3nKUsZlk=,tag:rYEMm+H96Pofyla9kyFktg==,type:bool]
nothing: null
empty: ""
list:
    - ENC[AES256_GCM,data:hhnJkRWdJ34PgQ==,iv:wdztKJBRgHM9tR6oamtwX/WNzqCEhkaNb2abEJrgqxc=,tag:IV1/oN1cxwHEWvr+jmClPA==,type:str]
    - ENC[AES256_GCM,data:yg==,iv:fWSRvKDlHjPIe7Snu8Dm9srD0V8j4edcrVsALV2Vfbg=,tag:/bXoZH1w6n9o5ZMoUsVd/g==,type:int]
    - deep: ENC[AES256_GCM,data:NQoLt54lR6n4tQ==,iv:ZRUH296vIqVAVugtdaewbOIl27m4bM30Zywwml09sxg=,tag:JHkpvtZ5zmN5ZvosafLuPg==,type:str]
map:
    #ENC[AES256_GCM,data:gzrjkMwlz2/IGZ8=,iv:sq8HAns5oqLfVKAAtcTfNnRT4gAULBIy8ouMTQtZZsk=,tag:a2aK2CPFk4B50glgyI1QDg==,type:comment]
    key: ENC[AES256_GCM,data:6Z0=,iv:aqrYoytpXnQALSJS25FdYhX+qR52E/qrgc5Bp0oQknU=,tag:aGWmxCaorWEINcY6IryZgQ==,type:str]
    key_unencrypted: 15
day: ENC[AES256_GCM,data:e7Yjlny1k+p5/mDxv6wemnNpLG8=,iv:QgKJADgqAv7Fv1A/ZQRAhyXsRJUudrDuWNr/m37qw9E=,tag:fFinnX31TmZM1HkeRi16zw==,type:time]
text: ENC[AES256_GCM,data:nwtXlpHCmgo=,iv:lk5jnjARW6k8AsDJGpkGUUbaD2IzNH6dCRj7/7sKvek=,tag:SBltQm3wr/k+Ebg4wz5CJA==,type:str]
sops:
    age:
        - enc: |
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBrOVl6OEgzWU1xUDhud05W
            eENCUTRtbWdmaXRvYmJEY1E3aGFkYmhrQUZ3CnhHY1FmMUxRd1A2Y1FkdXJVb1Ju
            Ni9Ld2prVVFGaEVXMDdjNlE3SHJTQTgKLS0tIFR3TEJoWTJBZzM5VjJsV1k5SXB3
            YjhrS3lvR2ZsVG9tTnpVTlp4dGRWN28Kjnce32CrQV3yJFUSoyka+P1Z1dBacRgP
            6XII2klXf3vkFK6YsCxoLN7W9zFuLXO9h0OggsDuNNpY3m2+0epG0Q==
            -----END AGE ENCRYPTED FILE-----
          recipient: age12ta3emk9fdyyke8zmu2zvw29w6mwh6875pw7p55ld3rurku3hacszk7cp9
    lastmodified: "2026-11-27T11:53:33Z"
    mac: ENC[AES256_GCM,data:wKR26HGjIPKDqmkCp8mtQIlQYpsMxSpCAfhKRxfH5UaivaUfLy3sNE7SbQRJ7RO3ow+f8Xc4gdsuDYepku6ksNeP8WkjNb1SdCjleK3Zh++THFTtPqxCS8/YFztncdMRBKZaRk2tWK/vi0d65sWfIu2uBzAihQjt8iOQVPvlpuw=,iv:kKgLTU7HSTmMY55y7tQvjIsz8P7veGsjWLzYjAE7z4g=,tag:jkp7HuV3g/mKbHYftS4DWA==,type:str]
    unencrypted_suffix: _unencrypted
    version: 3.13.3
---
second: ENC[AES256_GCM,data:RFDau5/T9OQ=,iv:4DljZZDfe/6J5xxz8iaUq1oNevgMjjqXRRGnxgoEKmA=,tag:NpI8Qv4/EY3U6fh/XNmjsg==,type:str]
sops:
    age:
        - enc: |
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBrOVl6OEgzWU1xUDhud05W
            eENCUTRtbWdmaXRvYmJEY1E3aGFkYmhrQUZ3CnhHY1FmMUxRd1A2Y1FkdXJVb1Ju
            Ni9Ld2prVVFGaEVXMDdjNlE3SHJTQTgKLS0tIFR3TEJoWTJBZzM5VjJsV1k5SXB3
            YjhrS3lvR2ZsVG9tTnpVTlp4dGRWN28Kjnce32CrQV3yJFUSoyka+P1Z1dBacRgP
            6XII2klXf3vkFK6YsCxoLN7W9zFuLXO9h0OggsDuNNpY3m2+0epG0Q==
            -----END AGE ENCRYPTED FILE-----
          recipient: age12ta3emk9fdyyke8zmu2zvw29w6mwh6875pw7p55ld3rurku3hacszk7cp9
    lastmodified: "2026-11-27T11:53:33Z"
    mac: ENC[AES256_GCM,data:wKR26HGjIPKDqmkCp8mtQIlQYpsMxSpCAfhKRxfH5UaivaUfLy3sNE7SbQRJ7RO3ow+f8Xc4gdsuDYepku6ksNeP8WkjNb1SdCjleK3Zh++THFTtPqxCS8/YFztncdMRBKZaRk2tWK/vi0d65sWfIu2uBzAihQjt8iOQVPvlpuw=,iv:kKgLTU7HSTmMY55y7tQvjIsz8P7veGsjWLzYjAE7z4g=,tag:jkp7HuV3g/mKbHYftS4DWA==,type:str]
    unencrypted_suffix: _unencrypted
    version: 3.13.3
`;

/** What is in it. */
export const manyKindsPlain = [
  {
    name: "open",
    password: "it is secret",
    count: 5,
    ratio: 1.5,
    on_off: true,
    nothing: null,
    empty: "",
    list: ["first item", 2, { deep: "third item" }],
    map: { key: "12", key_unencrypted: 15 },
    day: "2020-01-02T00:00:00Z",
    text: "one\ntwo\n",
  },
  { second: "document" },
];

/** Only some keys, and a MAC over them alone. */
export const fewKeys = `open: 1
data:
    a: ENC[AES256_GCM,data:TlqN9TCP99+tew==,iv:7Fq5aWUqjPycnWEasdR7y8NXVeaM4nDb6hio9aGCyMg=,tag:heTn544/1kzX+Z6MIZ+c1w==,type:str]
    b:
        - ENC[AES256_GCM,data:4A==,iv:cOHJk+RpN6ynslD7jia3VaX+2nEIAZ9WX9qHhHa6VhI=,tag:TxxlM9+/vLb3HcU8/AwoaA==,type:int]
        - ENC[AES256_GCM,data:lRReLjjEstxbvg==,iv:Md6jJVCUjXh4Xy786RvHVg2qpynNyi7z6VWkPIn+P1s=,tag:puJtej/k786f6+PvAK7a7A==,type:str]
TOKEN: ENC[AES256_GCM,data:WZp1a2XWW0wiMu+Y,iv:+zh9t9Cpb0VUzmYsi4CZh3NMMD6wiAMba2cQj91lxnw=,tag:lWzo4KSBdfprEDd6cE2ILA==,type:str]
sops:
    age:
        - enc: |
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSB0V05yQ1p2RncwUlZSMjlG
            ZGI0Y0Zqa254K0NjTXAxYWhNdU5HbXgxbFZzCitMK1IrSXVEdGEzV2xrK0xiellD
            bjhxYzdETlBGRDNYcG5YWEx0V3BxeUkKLS0tIHo1SVE3QmM3NHJhTVNUUmhsM1pr
            Ukw5Y1pqMFJwdk1WSzVvQ0hpYm15UDAK/RFj+h5SP9EDLCmAp6j0FiXFWqrky2Q1
            jx4Dlt4p6dsTg1dAd533b9/OTRJHEubbF9Rt/eyt44pJkUITqjC/qA==
            -----END AGE ENCRYPTED FILE-----
          recipient: age12ta3emk9fdyyke8zmu2zvw29w6mwh6875pw7p55ld3rurku3hacszk7cp9
    encrypted_regex: (?i)^(data|token)$
    lastmodified: "2026-11-27T11:53:33Z"
    mac: ENC[AES256_GCM,data:Fg2ZPZa38FvId561TqKEENgRt9u2FaKgiqu/UEiiLizutuQ+yG8y2X5O8GLpa3Xvf7cYDYSfETlCsNgdrUZ13fEVVh/IeUOZFgOaif2OQVbTipXZVZ21WtZN5A7shTtz1+n0K6QBhWbeLoEIBFUS242nT/GNxaM02CEKBZDaWCg=,iv:M848Bjp7m8FFEXiFP+xViPmbZ+pmxsx55m4CDpJ83j8=,tag:NveV/oAdxFETn36sFbBRYQ==,type:str]
    mac_only_encrypted: true
    version: 3.13.3
`;

/** What is in it. */
export const fewKeysPlain = {
  open: 1,
  data: { a: "hidden one", b: [2, "hidden two"] },
  TOKEN: "hidden three",
};
