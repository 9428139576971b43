package social

import (
	"strings"

	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
)

// me stands for the owner of the token.
const me = "me"

// userObject is a person as their own token sees them
// (https://developers.facebook.com/docs/graph-api/reference/user).
func userObject(person network.Person, t ledger.Token) object {
	first, last, _ := strings.Cut(person.Name, " ")
	fields := map[string]any{
		"id": person.ID, "name": person.Name, "first_name": first, "last_name": last, "email": absent{},
		"picture": picture(person.ID),
	}
	if t.Has("email") {
		fields["email"] = person.Email
	}
	return object{kind: "User", usual: []string{"name", "id"}, fields: fields}
}

// picture is the small picture of a person or page, which does not exist.
func picture(id string) wrapped {
	return wrapped{map[string]any{"height": 50, "is_silhouette": false, "url": imageURL("p", id), "width": 50}}
}

// imageURL is an address in the form of the network's own, where nobody answers.
func imageURL(kind, id string) string {
	return "https://scontent.example/" + kind + "/" + id + ".jpg"
}

// person returns the owner of the token, where it is one of a person.
func (s *site) person(t ledger.Token) (network.Person, bool) {
	if t.Kind != ledger.User {
		return network.Person{}, false
	}
	return s.network.Person(t.Account)
}
