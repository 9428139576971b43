package connection_test

import (
	"testing"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/fault"
)

// TestPhotosWithoutTheDatabase checks that what cannot be read does not look like something
// that the company has to connect or to choose.
func TestPhotosWithoutTheDatabase(t *testing.T) {
	s := directorytest.New(t)
	s.Hide("oauth_tokens")
	via, page, err := s.Connections.PhotosVia(t.Context(), s.Company.ID)
	if err == nil || fault.Is(err, connection.CodeNoConnection) {
		t.Fatalf("%+v of page %q, %v", via, page, err)
	}
	if fault.Is(err, connection.CodeNoPage) || via.ID != 0 {
		t.Fatalf("%+v of page %q, %v", via, page, err)
	}
	if page != "" {
		t.Errorf("%+v of page %q, %v", via, page, err)
	}
}

// TestPhotosOfAnEndedPage checks that a page that was disconnected while it was lost leaves
// nothing to be chosen.
func TestPhotosOfAnEndedPage(t *testing.T) {
	s := directorytest.New(t)
	s.WithPage(0)
	s.Change(pagesPair, func(c *connection.Connection) { c.End(); c.LostChoice = "Piekarnia" })
	_, _, err := s.Connections.PhotosVia(t.Context(), s.Company.ID)
	wantFault(t, err, connection.CodeNoConnection.Kind, connection.CodeNoConnection.Name)
	if status := statusOf(s, photosPair); status.Connected || status.NeedsReconnect || status.LostChoice != "" {
		t.Errorf("status = %+v", status)
	}
}
