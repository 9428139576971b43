module backend.example/deploy/sandbox

go 1.26

require github.com/PuerkitoBio/goquery v1.13.0

require (
	github.com/andybalholm/cascadia v1.3.4 // indirect
	golang.org/x/net v0.58.0 // indirect
)
