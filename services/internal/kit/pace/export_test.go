package pace

import "time"

// Age moves what is stored for key into the past by d, as pacetest.Clock requires.
func (m *Memory) Age(key string, d time.Duration) {
	if s := m.keys[key]; s != nil {
		s.last, s.given = s.last.Add(-d), s.given.Add(-d)
	}
}
