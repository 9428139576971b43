package statistics

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// The codes of choosing a property.
var (
	CodePropertyNotFound = fault.NewCode(fault.NotFound, "property_not_found",
		"Połączone konto nie ma tej witryny w Search Console.")
	CodePropertyLost = fault.NewCode(fault.NotFound, "property_lost",
		"Połączone konto nie odczytuje już witryny, którą wybrano w Search Console. Wybierz inną.")
)

// Property is a property of Search Console whose figures the connected account may read.
type Property struct {
	Name   string `json:"property"` // as the provider names it, "https://firma.pl/" or "sc-domain:firma.pl"
	Fits   bool   `json:"fits_website"`
	Chosen bool   `json:"is_chosen"`
}

// Properties lists what can be chosen for the actor's company, those that fit its website
// first. The faults are no_company, no_connection, too_much_work and those of the provider.
func (s *Service) Properties(ctx context.Context, actor account.Actor) ([]Property, error) {
	companyID, err := actor.Company()
	if err != nil {
		return nil, err
	}
	c, names, err := s.sites(ctx, companyID)
	if err != nil {
		return nil, err
	}
	company, err := s.companies.ByID(ctx, companyID)
	if err != nil {
		return nil, err
	}
	fitting := google.SitesOf(company.Website, names)
	others := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool {
		return slices.Contains(fitting, name)
	})
	properties := []Property{}
	for i, name := range slices.Concat(fitting, others) {
		properties = append(properties, Property{name, i < len(fitting), name == c.Property})
	}
	return properties, nil
}

// sites lists the properties that the company's connection may read.
func (s *Service) sites(ctx context.Context, companyID int64) (c connection.Connection, names []string, err error) {
	c, err = s.connections.Active(ctx, companyID, provider.AnalyticsPair)
	if err != nil {
		return c, nil, err
	}
	if err = s.connections.LimitDiscover(ctx, companyID, provider.SearchAnalytics); err != nil {
		return c, nil, err
	}
	names, err = connection.Use(ctx, s.connections, c,
		func(ctx context.Context, token, _ string) ([]string, error) { return s.client.Sites(ctx, token) })
	return c, names, err
}

// SelectProperty makes a property the one that is read for the actor's company; an empty name
// leaves it to the company's website again. The faults are no_company, not_allowed,
// no_connection, property_not_found and those of the provider.
func (s *Service) SelectProperty(ctx context.Context, actor account.Actor, name string) error {
	companyID, err := actor.Company()
	if err != nil {
		return err
	}
	if err = actor.MayEdit(companyID); err != nil {
		return err
	}
	return connection.RetryChanged(func() error {
		c, names, err := s.sites(ctx, companyID)
		if err != nil {
			return err
		}
		if name != "" && !slices.Contains(names, name) {
			return CodePropertyNotFound.Fault()
		}
		held, err := s.connections.HoldListed(ctx, c)
		if err != nil {
			return err
		}
		defer held.Release()
		held.ChooseProperty(name)
		entry := actor.Entry(companyID, "select_property", c.Pair)
		entry.Detail = name
		return held.Save(&entry)
	})
}

type propertiesResponse struct {
	Success    bool       `json:"success"`
	Properties []Property `json:"properties"`
}

// PostProperties handles POST /api/oauth/provider_search/discover-properties.
func (s *Service) PostProperties(c echo.Context, actor account.Actor) error {
	properties, err := s.Properties(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, propertiesResponse{Success: true, Properties: properties})
}

// PostProperty handles POST /api/oauth/provider_search/select-property.
func (s *Service) PostProperty(c echo.Context, actor account.Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Name string `body:"property"`
	}{})
	if err != nil {
		return err
	}
	if err := s.SelectProperty(c.Request().Context(), actor, request.Name); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, httpapi.Done{Success: true, Message: "Wybór witryny został zapisany."})
}
