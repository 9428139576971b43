package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/erasure"
)

func (p *Program) companyExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export SLUG", Short: "Print all that is kept of a company as JSON, without secrets",
		ValidArgsFunction: p.slugs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				c, err := s.Companies.BySlug(ctx, args[0])
				if err != nil {
					return explain(fmt.Sprintf("company %q", args[0]), err)
				}
				return export(ctx, s, c.ID, p.Stdout)
			})
		},
	}
}

// export writes an object with a list for each section; it holds one row at a time.
func export(ctx context.Context, s *Services, companyID int64, to io.Writer) error {
	w := bufio.NewWriter(to)
	sections := erasure.Sections()
	current := ""
	separator := ""
	before := "{" // the next section
	begin := func(section string) {
		for current != section { // those without rows, too
			current, sections = sections[0], sections[1:]
			fmt.Fprintf(w, "%s%q: [", before, current)
			before, separator = "],\n", ""
		}
	}
	last := sections[len(sections)-1]
	err := erasure.Export(ctx, s.DB, companyID, func(row erasure.Row) error {
		begin(row.Section)
		fmt.Fprint(w, separator)
		separator = ","
		return writeRow(w, row)
	})
	if err != nil {
		return err
	}
	begin(last)
	fmt.Fprint(w, "]}\n")
	return w.Flush()
}

func writeRow(w *bufio.Writer, row erasure.Row) error {
	for i, name := range row.Names {
		value := row.Values[i]
		if document, ok := value.(erasure.Document); ok {
			value = json.RawMessage(document)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%s %s: %w", row.Section, name, err)
		}
		separator := ", "
		if i == 0 {
			separator = "\n  {"
		}
		fmt.Fprintf(w, "%s%q: %s", separator, name, encoded)
	}
	_, err := w.WriteString("}")
	return err
}
