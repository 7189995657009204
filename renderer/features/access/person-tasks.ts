// Owns what is done to an account of somebody else, one request each.
import { call } from '../../lib/api-client.ts'

/** Sends a link with which somebody sets a password; without a mail server it waits in the list of messages. */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = new URL('#/reset-password', document.baseURI).href
  await call('requestPasswordReset', { body: { email, redirectTo } })
}

/** Begins to act as somebody. The page begins anew: nothing loaded before belongs to that person. */
export async function actAs(userId: string): Promise<void> {
  await call('adminImpersonate', { body: { userId } })
  window.location.hash = '/'
  window.location.reload()
}
