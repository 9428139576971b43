// Address of the gateway, such as https://api.example.pl. If empty, the page itself comes
// through the gateway (WEB_APP_URL).
export const gateway = '';
