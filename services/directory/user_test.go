package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

const password = "correct horse battery"

func TestUsers(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "company", "add", "Piekarnia Kowalski", "--slug", "piekarnia")
	steps := []struct{ line, input, want string }{
		{"user add Anna@Firma.PL --name Anna --role manager --company piekarnia", password + "\n", "user 1 anna@firma.pl added\n"},
		{"user add bez@firma.pl", password, "user 2 bez@firma.pl added\n"}, // no line break at the end
		{"user add flag@firma.pl --role ADMIN --password secret-secret", "", "user 3 flag@firma.pl added\n"},
		{"user set-role ANNA@firma.pl office_manager", "", "user 1 anna@firma.pl changed\n"},
		{"user set-password anna@firma.pl", "another long password\r\n", "user 1 anna@firma.pl changed\n"},
		{"user list", "", `ID  E-MAIL         NAME  ROLE            COMPANY  STATE
 1  anna@firma.pl  Anna  OFFICE_MANAGER        1  active
 2  bez@firma.pl         MEMBER                -  active
 3  flag@firma.pl        ADMIN                 -  active
`},
	}
	for _, step := range steps {
		out, err := commandReading(t, step.input, settings, strings.Fields(step.line)...)
		if err != nil || out != step.want {
			t.Errorf("%s: printed %q, want %q; error %v", step.line, out, step.want, err)
		}
	}
}

func TestUsersRefused(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "company", "add", "Dawna", "--slug", "dawna", "--status", "archived")
	require(t, settings, "user", "add", "anna@firma.pl", "--password", password)
	before := require(t, settings, "user", "list")
	tests := []struct{ line, input, want string }{
		{"user add ANNA@firma.pl", password, "user anna@firma.pl: taken already"},
		{"user add anna", password, `"anna" is not an e-mail address`},
		{"user add <anna@firma.pl>", password, "is not an e-mail address"},
		{"user add jan@firma.pl --role BOSS", password, `--role "BOSS": want one of UNAFFILIATED, MEMBER, EMPLOYEE, MANAGER, OFFICE_MANAGER, ADMIN`},
		{"user add jan@firma.pl --company nowa", password, `--company "nowa": there is no such company`},
		{"user add jan@firma.pl --company dawna", password, `--company "dawna": archived`},
		{"user add jan@firma.pl", "", "password: 12 characters at least and 512 bytes at most"},
		{"user add jan@firma.pl", "\n" + password, "password: 12 characters at least"}, // the first line counts
		{"user add jan@firma.pl", "żółwżółwżół", "password: 12 characters at least"},
		{"user add jan@firma.pl", strings.Repeat("x", 513), "password: 12 characters at least"},
		{"user add jan@firma.pl --password short", password, "password: 12 characters at least"},
		{"user set-role jan@firma.pl ADMIN", "", "user jan@firma.pl: there is no such user"},
		{"user set-role anna@firma.pl BOSS", "", `role "BOSS": want one of UNAFFILIATED`},
		{"user set-password jan@firma.pl", password, "user jan@firma.pl: there is no such user"},
		{"user set-password anna@firma.pl", "short", "password: 12 characters at least"},
	}
	for _, test := range tests {
		out, err := commandReading(t, test.input, settings, strings.Fields(test.line)...)
		refused(t, test.line, out, err, test.want)
	}
	if after := require(t, settings, "user", "list"); after != before {
		t.Errorf("users are now\n%s", after)
	}
}

// endless is an input that never delivers; reading it ends the command.
type endless struct{ end context.CancelFunc }

func (r endless) Read([]byte) (int, error) { r.end(); select {} }

func TestPipedPasswordInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := newProgram(withFile(t, environ(t)), endless{stop}, io.Discard, io.Discard)
	if err := p.Run(ctx, []string{"user", "add", "anna@firma.pl"}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
