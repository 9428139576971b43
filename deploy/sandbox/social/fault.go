package social

import (
	"fmt"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/social/ledger"
)

// GraphError is the site's own fault: the API refuses a call with the code and
// subcode of the fault.
const GraphError faults.Kind = "graph_error"

// orderedRefusal is the refusal that a fault asks for; nil without such a fault.
func orderedRefusal(r *http.Request) *refusal {
	fault, ordered := faults.FromContext(r.Context())
	if !ordered || fault.Kind != GraphError {
		return nil
	}
	if fault.Code == 190 {
		return deadToken(ledger.Cause(fault.Subcode))
	}
	refused := refuse(fault.Code, fault.Subcode, message(fault.Code))
	switch fault.Code {
	case 1, 2:
		transient := true
		refused.Transient, refused.status = &transient, http.StatusInternalServerError
	case 3, 4, 10, 200:
		refused.status = http.StatusForbidden
	}
	return refused
}

// deadToken is error 190.
func deadToken(cause ledger.Cause) *refusal { return refuse(190, int(cause), cause.Error()) }

// limited reports whether a code tells that a limit is used up.
func limited(code int) bool {
	return slices.Contains([]int{4, 17, 32, 341, 368, 613, 80001, 80002}, code)
}

// message is what the API says with a code.
func message(code int) string {
	switch code {
	case 1:
		return "An unknown error occurred"
	case 2:
		return "An unexpected error has occurred. Please retry your request later."
	case 3:
		return "(#3) Application does not have the capability to make this API call."
	case 4:
		return "(#4) Application request limit reached"
	case 10:
		return "(#10) Application does not have permission for this action"
	case 17:
		return "(#17) User request limit reached"
	case 32:
		return "(#32) Page request limit reached"
	case 102:
		return "Session key invalid or no longer valid"
	case 200:
		return "(#200) Permissions error"
	case 341:
		return "(#341) Feed action request limit reached"
	case 368:
		return "The action attempted has been deemed abusive or is otherwise disallowed"
	case 613:
		return "(#613) Calls to this api have exceeded the rate limit."
	case 80001:
		return "(#80001) There have been too many calls to this Page account. Wait a bit and try again."
	case 80002:
		return "(#80002) There have been too many calls to this Instagram account. Wait a bit and try again."
	default:
		return fmt.Sprintf("(#%d) Refused by order of the sandbox", code)
	}
}
