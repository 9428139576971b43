# What pint checks in addition to its defaults.

# Duplicates are found by server. Nothing is sent to it: pint runs offline.
prometheus "any" {
  uri = "http://localhost:9090"
}

rule {
  match { kind = "alerting" }
  label "severity" {
    values   = ["page", "ticket"]
    required = true
  }
  annotation "summary" {
    value    = ".+"
    required = true
  }
}

# An objective is that of a whole service.
rule {
  match {
    kind = "recording"
    name = "slo:(requests|bad|error_budget):.+"
  }
  label "slo" {
    required = true
  }
  aggregate ".+" {
    strip = ["instance"]
  }
}
