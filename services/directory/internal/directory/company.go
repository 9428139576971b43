package directory

import "backend.example/services/directory/internal/company"

// Company is that of package company.
type Company = company.Company

// CompanyStatusActive is company.StatusActive.
const CompanyStatusActive = company.StatusActive

// CheckSlug is company.CheckSlug.
var CheckSlug = company.CheckSlug
