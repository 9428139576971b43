package ceneo

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/prices"
)

// Parts of the address of a list: most bought first, and a page of 30 products, from 0.
const (
	popularFirst = ";0115-1"
	pageOfList   = ";0020-30-0-0-"
)

// DefaultLists returns the lists of all categories. Only the section of graphics cards is certain; one that the
// site lacks is skipped.
func DefaultLists() []prices.List {
	return []prices.List{
		{Name: "cpu", Category: "cpu", Section: "Procesory"},
		{Name: "gpu", Category: "gpu", Section: "Karty_graficzne"},
		{Name: "ram", Category: "ram", Section: "Pamieci_RAM"},
		{Name: "ssd", Category: "storage", Section: "Dyski_SSD"},
		{Name: "hdd", Category: "storage", Section: "Dyski_HDD"},
		{Name: "motherboard", Category: "motherboard", Section: "Plyty_glowne"},
		{Name: "psu", Category: "psu", Section: "Zasilacze"},
		{Name: "cooling", Category: "cooling", Section: "Chlodzenie_komputerowe"},
		{Name: "case", Category: "case", Section: "Obudowy"},
	}
}

// Lists implements prices.Source.
func (s *Site) Lists() []prices.List {
	lists := DefaultLists()
	for i, list := range lists {
		lists[i].Section = cmp.Or(s.lists[list.Name], list.Section)
	}
	return lists
}

// List implements prices.Source. A page that the site does not have is 404, leads to another section, or has no
// rows.
func (s *Site) List(ctx context.Context, r *fetch.Request, list prices.List, page int) ([]prices.Listed, error) {
	address := s.Address(list.Section + popularFirst)
	if page > 0 {
		address += pageOfList + strconv.Itoa(page)
	}
	leaves := func(u *url.URL) bool { return !strings.HasPrefix(s.Path(u), "/"+list.Section) }
	p, err := s.Get(ctx, r, address+".htm", leaves)
	if err != nil {
		return nil, err
	}
	if leaves(p.URL) || p.Status == http.StatusNotFound {
		return nil, nil
	}
	if p.Status != http.StatusOK {
		return nil, p.UnexpectedStatus("list " + list.Name)
	}
	rows, err := parseSearch(bytes.NewReader(p.Body))
	if err != nil {
		return nil, s.Unreadable(p, err)
	}
	if err := checkEnd(p.Body); err != nil {
		return nil, err
	}
	var products []prices.Listed
	for _, row := range rows {
		if row.id != "" {
			products = append(
				products, prices.Listed{Number: row.id, Name: row.name, PriceLow: row.minPrice, Shops: row.shops},
			)
		}
	}
	return products, nil
}
