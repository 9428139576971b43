package httpapi_test

// Texts that people read; the contract shows each of them.
const (
	textNotLoggedIn   = "Zaloguj się, aby kontynuować."
	textOtherSite     = "Żądanie z innej witryny zostało odrzucone."
	textNoCompany     = "Konto nie jest przypisane do żadnej firmy."
	textNotAllowed    = "Brak uprawnień do edycji tej firmy."
	textNoConnection  = "Nie znaleziono połączenia z tą usługą."
	textNoJSON        = "Żądanie nie zawiera danych w formacie JSON."
	textTooLarge      = "Treść żądania jest zbyt duża."
	textNotFound      = "Nie znaleziono zasobu."
	textNotThisMethod = "Ta metoda nie jest dozwolona dla tego adresu."
	textUnknown       = "Nie znaleziono firmy."
	textNoAudit       = "Brak audytu dla tej firmy."
	textNoName        = "Należy podać company_id lub slug."
	textUnavailable   = "Usługa audytu jest chwilowo niedostępna."
	textInternal      = "Wystąpił nieoczekiwany błąd. Spróbuj ponownie później."
	textTemporary     = "Dostawca jest chwilowo niedostępny. Spróbuj ponownie później."
)

func textMissing(field string) string { return "Pole " + field + " jest wymagane." }

func textInvalid(field string) string { return "Nieprawidłowa wartość pola " + field + "." }
