module backend.example/deploy/compose

go 1.26.0
