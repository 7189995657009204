// The password of the local owner, set and used as a person would: over HTTP, before other machines may reach the host.
import { startHost } from '#main/index.ts'

const password = 'a password of the owner'

/** Starts a host on the folder, sets the password and stops it again. */
export async function setOwnerPassword(dataDir: string): Promise<void> {
  const host = await startHost({ dataDir, port: 0, durable: false })
  try {
    await post(`${host.url}/api/v1/auth/set-password`, { newPassword: password }, host.token)
  } finally {
    await host.stop()
  }
}

/** Signs the owner in and answers the session token. */
export async function signInOwner(url: string): Promise<string> {
  const { token } = (await post(`${url}/api/v1/auth/login`, { username: 'owner', password })) as { token: string }
  return token
}

/** Signs the owner in as a browser does and answers what it sends as Cookie from then on. */
export async function signInOwnerByCookie(url: string): Promise<string> {
  const response = await send(`${url}/api/v1/auth/sign-in/email`, { email: 'owner@cairn.local', password })
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0]!)
    .join('; ')
}

async function post(url: string, body: unknown, token?: string): Promise<unknown> {
  return (await send(url, body, token)).json()
}

async function send(url: string, body: unknown, token?: string): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      origin: new URL(url).origin,
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response
}
