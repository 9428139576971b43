package social

import (
	"net/http"
	"strings"

	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
)

// child is one picture of a carousel.
type child struct {
	network.Medium
	id string
}

// find returns what the id in the path means to the caller: a network.Person,
// .Page, .Photo, .Medium or .Portfolio, or a child.
func (s *site) find(c *call) (any, *refusal) {
	id := c.PathValue("node")
	if id == me {
		id = c.token.Account
		if c.token.Kind == ledger.Page {
			id = c.token.Page
		}
	}
	if id == "" {
		return nil, missingToken(me)
	}
	person, isPerson := s.person(c.token)
	if isPerson && id == person.ID {
		return person, nil
	}
	if p := person.Portfolio; p != nil && id == p.ID {
		return *p, c.lacks(manageBusiness)
	}
	if page, found := s.network.Page(id); found {
		if _, manages := s.role(c.token, id); !manages {
			return nil, notManaged()
		}
		return page, nil
	}
	return s.findPhoto(c, id)
}

// findPhoto finds what is of the photo network: somebody else's does not exist.
func (s *site) findPhoto(c *call, id string) (any, *refusal) {
	if photo, found := s.network.Photo(id); found && s.linked(c, photo) {
		return photo, c.lacks(photoBasic)
	}
	medium, isChild, found := s.network.Medium(id, c.now)
	switch {
	case !found || !s.linked(c, medium.Account):
		return nil, unknownObject(c.Method, id)
	case isChild:
		return child{medium, id}, c.lacks(photoBasic)
	default:
		return medium, c.lacks(photoBasic)
	}
}

// linked reports whether the caller manages a page to which the account is linked.
func (s *site) linked(c *call, photo network.Photo) bool {
	for _, page := range s.network.Pages() {
		if page.PhotoID == photo.ID {
			_, manages := s.role(c.token, page.ID)
			return manages
		}
	}
	return false
}

// showNode answers the fields of one object.
func (s *site) showNode(c *call) (any, *refusal) {
	node, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	fields, refused := readSelection(c.form.Get("fields"))
	if _, isPage := node.(network.Page); isPage && refused == nil {
		refused = s.readPage(c, fields)
	}
	if refused != nil {
		return nil, refused
	}
	return s.objectOf(c, node).pick(fields)
}

func (s *site) objectOf(c *call, node any) object {
	switch n := node.(type) {
	case network.Person:
		return userObject(n, c.token)
	case network.Page:
		return s.pageObject(c, n)
	case network.Photo:
		return photoObject(n, c.now)
	case network.Medium:
		return mediumObject(n, c.now)
	case network.Portfolio:
		return portfolioObject(n)
	default:
		return childObject(n.(child))
	}
}

// showEdge answers what hangs on an object.
func (s *site) showEdge(c *call) (any, *refusal) {
	node, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	switch n := node.(type) {
	case network.Person:
		return s.personEdge(c, n)
	case network.Page:
		return s.pageEdge(c, n)
	case network.Photo:
		return s.photoEdge(c, n)
	case network.Medium:
		return s.mediumEdge(c, n)
	case network.Portfolio:
		return s.portfolioEdge(c, n)
	default:
		return nil, unknownEdge(c, "ShadowIGMedia")
	}
}

func unknownEdge(c *call, kind string) *refusal {
	return badParameter("Tried accessing nonexisting field (%s) on node type (%s)", c.PathValue("edge"), kind)
}

// refusePath answers everything that is no address of the API, and methods that
// an object does not know.
func (s *site) refusePath(w http.ResponseWriter, r *http.Request) {
	refused := unknownPath(r.URL.Path)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		parts := strings.SplitN(r.URL.Path, "/", 4)
		refused = unknownObject(r.Method, parts[min(2, len(parts)-1)])
	}
	s.sendRefusal(w, "", refused)
}
