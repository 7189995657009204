// Owns the addresses of the screen of webhooks inside the window.

/** Where outgoing webhooks are. */
export const webhooksPath = '/webhooks'

/** Where receivers are. */
export const receiversPath = '/webhooks/in'

/** Where one webhook is. */
export const webhookPath = (name: string): string => `/webhooks/out/${name}`

/** Where one receiver is. */
export const receiverPath = (name: string): string => `/webhooks/in/${name}`
