package directory_test

import (
	"context"
	"slices"
	"sync"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// linkStore keeps connections, and what belongs to them, in memory.
type linkStore struct {
	turn sync.Mutex // of LockConnection: one change at a time
	data sync.Mutex // guards all below

	connections []directory.Connection
	trail       []directory.Entry
	configs     []directory.SocialConfig
	statistics  []directory.Statistics
	locks       int  // calls of LockConnection
	shared      bool // what GrantShared answers

	readErr, saveErr, selectErr, sharedErr, recordErr, statisticsErr, historyErr error
}

func (s *linkStore) find(ok func(directory.Connection) bool) (directory.Connection, error) {
	i := slices.IndexFunc(s.connections, ok)
	if i < 0 {
		return directory.Connection{}, fault.New(fault.NotFound, "no_connection", "Nie znaleziono połączenia.")
	}
	return s.connections[i], nil
}

func (s *linkStore) put(c directory.Connection) {
	i := slices.IndexFunc(s.connections, func(old directory.Connection) bool { return old.ID == c.ID })
	if i < 0 {
		s.connections = append(s.connections, c)
		return
	}
	s.connections[i] = c
}

// change alters a stored connection behind everybody's back.
func (s *linkStore) change(id int64, change func(*directory.Connection)) {
	s.data.Lock()
	defer s.data.Unlock()
	c, _ := s.find(func(c directory.Connection) bool { return c.ID == id })
	change(&c)
	s.put(c)
}

func (s *linkStore) Connection(_ context.Context, companyID int64, p directory.Pair) (directory.Connection, error) {
	s.data.Lock()
	defer s.data.Unlock()
	if s.readErr != nil {
		return directory.Connection{}, s.readErr
	}
	return s.find(func(c directory.Connection) bool { return c.CompanyID == companyID && c.Pair == p })
}

func (s *linkStore) Connections(_ context.Context, companyID int64) ([]directory.Connection, error) {
	s.data.Lock()
	defer s.data.Unlock()
	own := slices.DeleteFunc(slices.Clone(s.connections), func(c directory.Connection) bool { return c.CompanyID != companyID })
	return own, s.readErr
}

func (s *linkStore) SaveConnection(_ context.Context, c *directory.Connection, e directory.Entry) error {
	s.data.Lock()
	defer s.data.Unlock()
	if s.saveErr != nil {
		return s.saveErr
	}
	before, err := s.find(func(old directory.Connection) bool { return old.CompanyID == c.CompanyID && old.Pair == c.Pair })
	c.ID, c.Active = before.ID, true
	if err != nil {
		c.ID = int64(len(s.connections) + 1)
	}
	if c.RefreshToken == "" {
		c.RefreshToken = before.RefreshToken
	}
	s.put(*c)
	s.trail = append(s.trail, e)
	return nil
}

func (s *linkStore) LockConnection(ctx context.Context, companyID int64, p directory.Pair,
	change func(context.Context, *directory.Connection) (*directory.Entry, error),
) (directory.Connection, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.data.Lock()
	s.locks++
	c, err := s.find(func(c directory.Connection) bool { return c.CompanyID == companyID && c.Pair == p })
	s.data.Unlock()
	if err != nil {
		return directory.Connection{}, err
	}
	entry, err := change(ctx, &c)
	if err != nil {
		return directory.Connection{}, err
	}
	s.data.Lock()
	defer s.data.Unlock()
	s.put(c)
	if entry != nil {
		s.trail = append(s.trail, *entry)
	}
	return c, nil
}

func (s *linkStore) SelectPage(_ context.Context, companyID int64, p directory.Pair, change func(*directory.Connection) error,
	config directory.SocialConfig, e directory.Entry,
) (directory.Connection, error) {
	s.data.Lock()
	defer s.data.Unlock()
	c, err := s.find(func(c directory.Connection) bool { return c.CompanyID == companyID && c.Pair == p })
	if err != nil {
		return c, err
	}
	if err := change(&c); err != nil {
		return c, err
	}
	if s.selectErr != nil {
		return c, s.selectErr
	}
	s.put(c)
	s.configs = append(s.configs, config)
	s.trail = append(s.trail, e)
	return c, nil
}

func (s *linkStore) GrantShared(context.Context, directory.Connection) (bool, error) {
	return s.shared, s.sharedErr
}

func (s *linkStore) Record(_ context.Context, e directory.Entry) error {
	s.data.Lock()
	defer s.data.Unlock()
	if s.recordErr == nil {
		s.trail = append(s.trail, e)
	}
	return s.recordErr
}

func (s *linkStore) SaveStatistics(_ context.Context, reading directory.Statistics) error {
	s.data.Lock()
	defer s.data.Unlock()
	if s.statisticsErr == nil {
		s.statistics = append(s.statistics, reading)
	}
	return s.statisticsErr
}

func (s *linkStore) LatestStatistics(_ context.Context, companyID int64, service directory.Service) (directory.Statistics, error) {
	s.data.Lock()
	defer s.data.Unlock()
	for _, reading := range slices.Backward(s.statistics) {
		if reading.CompanyID == companyID && reading.Service == service {
			return reading, s.statisticsErr
		}
	}
	return directory.Statistics{}, fault.New(fault.NotFound, "no_statistics", "Brak zapisanych statystyk.")
}

func (s *linkStore) StatisticsHistory(_ context.Context, companyID int64, service directory.Service, n int) (list []directory.Statistics, err error) {
	s.data.Lock()
	defer s.data.Unlock()
	for _, reading := range slices.Backward(s.statistics) {
		if reading.CompanyID == companyID && reading.Service == service && len(list) < n {
			reading.Data = nil
			list = append(list, reading)
		}
	}
	return list, s.historyErr
}

// actions lists what the trail tells, oldest first.
func (s *linkStore) actions() []string {
	s.data.Lock()
	defer s.data.Unlock()
	actions := []string{}
	for _, e := range s.trail {
		actions = append(actions, e.Action)
	}
	return actions
}
