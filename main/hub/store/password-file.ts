// The password of a database out of the file that every client of PostgreSQL reads. The driver reads it too, with a warning at
// each start that it will not for ever.
import { readFileSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * The address of a database with its password, where it names none and the file has one; else as it is.
 * @source https://www.postgresql.org/docs/15/libpq-pgpass.html
 */
export function withPassword(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const at = new URL(url)
  if (at.password !== '' || env['PGPASSWORD'] !== undefined || process.platform === 'win32') return url
  const file = env['PGPASSFILE'] ?? join(homedir(), '.pgpass')
  let text: string
  try {
    // What others may read counts for no client, and the driver says so.
    if ((statSync(file).mode & 0o077) !== 0) return url
    text = readFileSync(file, 'utf8')
  } catch {
    return url
  }
  const user = decodeURIComponent(at.username) || env['PGUSER'] || userInfo().username
  const host = at.searchParams.get('host') ?? (at.hostname || env['PGHOST'] || 'localhost')
  const wanted = [host, at.port || env['PGPORT'] || '5432', decodeURIComponent(at.pathname.slice(1)) || user, user]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field]) => field!.replaceAll(/\\(.)/g, '$1'))
    const password = fields[wanted.length]
    if (password === undefined || !wanted.every((value, at) => fields[at] === '*' || fields[at] === value)) continue
    at.password = encodeURIComponent(password)
    return at.href
  }
  return url
}
