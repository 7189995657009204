// Steps of signing in that tests share. Knows the words on the sign-in page; knows no test.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'

/** The code an authenticator shows at a moment (RFC 6238). */
export function totp(secret: string, atMs: number): string {
  const bits = [...secret.replaceAll('=', '')]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest.at(-1)! & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Fills in the form of the sign-in page and sends it. */
export async function enterPassword(page: Page, name: string, secret: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email or username' }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
