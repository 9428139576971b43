package aggregator

import "testing"

func TestParseAddress(t *testing.T) {
	for _, c := range []struct {
		path    string
		want    address
		product int
	}{
		{"/", address{}, 0},
		{"/;szukaj-iphone+15", address{searched: true, query: "iphone 15"}, 0},
		{"/Karty_graficzne;szukaj-RTX+4070+SUPER", address{head: "Karty_graficzne", searched: true, query: "RTX 4070 SUPER"}, 0},
		{"/;szukaj-s%C5%82uchawki%20sony", address{searched: true, query: "słuchawki sony"}, 0},
		{"/;szukaj-a%3Bb%2Fc%2Bd", address{searched: true, query: "a;b/c+d"}, 0},
		{"/;szukaj-++dwa+++s%C5%82owa++", address{searched: true, query: "dwa słowa"}, 0},
		{"/;szukaj-", address{searched: true}, 0},
		{"/;szukaj-ok%FF%00", address{searched: true, query: "ok"}, 0},
		{"/138536500", address{head: "138536500"}, 138536500},
		{"/138536500;0280-0.htm", address{head: "138536500", order: "0280-0"}, 138536500},
		{"/138536500;0282-1;02516.htm", address{head: "138536500", order: "0282-1"}, 138536500},
		{"/Captcha/Add", address{head: "Captcha/Add"}, 0},
		{"/1234", address{head: "1234"}, 0},
		{"/1234567890", address{head: "1234567890"}, 0},
		{"/12a45", address{head: "12a45"}, 0},
		{"/-12345", address{head: "-12345"}, 0},
	} {
		if got := parseAddress(c.path); got != c.want || got.product() != c.product {
			t.Errorf("%s:\ngot  %+v, product %d\nwant %+v, product %d", c.path, got, got.product(), c.want, c.product)
		}
	}
}
