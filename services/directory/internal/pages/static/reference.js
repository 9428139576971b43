// Shows an OpenAPI document with Swagger UI.
"use strict";

const place = document.getElementById("reference");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
});
