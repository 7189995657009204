// Serves the built screens under app://cairn/: files of one folder and nothing above it. Knows no host but its address,
// which the content policy names.
import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'
import { isShellUrl, windowPolicy } from './security.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/**
 * The file of the folder an address names; undefined for everything that is no plain path inside it.
 * @param folder absolute path of the built screens
 */
export function fileFor(folder: string, address: string): string | undefined {
  if (!isShellUrl(address)) return undefined
  let path: string
  try {
    path = decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined // not decodable, so no file has that name
  }
  // A second decoding, a drive letter or a Windows separator could lead elsewhere than the text says.
  if (/[\\:%\0]/.test(path)) return undefined
  const file = resolve(join(folder, path === '/' ? 'index.html' : path))
  return file.startsWith(resolve(folder) + sep) ? file : undefined
}

/**
 * Makes the handler of the `app` scheme.
 * @param hostUrl resolves when the host listens; pages are answered after that
 */
export function createAppProtocol(
  folder: string,
  hostUrl: () => Promise<string>,
): (request: { url: string; method: string }) => Promise<Response> {
  const notFound = (): Response => new Response('Not found', { status: 404, headers: { 'content-type': 'text/plain' } })
  return async ({ url, method }) => {
    if (method !== 'GET' && method !== 'HEAD') return notFound()
    const file = fileFor(folder, url)
    const type = file === undefined ? undefined : mediaTypes[extname(file)]
    if (file === undefined || type === undefined) return notFound()
    let bytes: Uint8Array<ArrayBuffer>
    try {
      bytes = await readFile(file)
    } catch {
      return notFound()
    }
    return new Response(method === 'HEAD' ? null : bytes, {
      headers: {
        'content-type': type,
        'content-security-policy': windowPolicy(await hostUrl()),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        // Built files carry a hash of their content in their name.
        'cache-control': file.includes(`${sep}assets${sep}`) ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    })
  }
}
