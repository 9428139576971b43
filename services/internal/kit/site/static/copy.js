// Copies what data-copy of a button holds; an address of this site becomes a whole one. The
// buttons are hidden without this script. The result stands in the element after them.
"use strict";

for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text.startsWith("/") ? location.origin + text : text);
      button.nextElementSibling.textContent = "Skopiowano.";
    } catch {
      button.nextElementSibling.textContent = "Przeglądarka nie pozwoliła skopiować.";
    }
  });
}
