// Serves the API documents of this very server: built once, at the first request, from the contracts it mounted.
import { documentRoutes } from '#shared/contracts/discovery.ts'
import type { ErrorTable } from '#shared/errors.ts'
import type { AnyRoute } from '#shared/route.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import { docsPolicy, renderDocsPage } from './docs-page.ts'
import { buildOpenApi } from './openapi.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { MountPaths, RouteBinding } from './route-runtime.ts'

/** The bindings of the document routes. `contracts` is asked at the first request, when every route is known. */
export function documentBindings(options: {
  contracts: () => readonly AnyRoute[]
  version: string
  errorTables: () => readonly ErrorTable[]
  mounts: MountPaths
}): RouteBinding[] {
  let built: { document: OpenApiDocument; text: string } | null = null
  const documents = (): { document: OpenApiDocument; text: string } => {
    if (built === null) {
      const info = { version: options.version, errorTables: options.errorTables(), ...options.mounts }
      const document = buildOpenApi(options.contracts(), info)
      built = { document, text: JSON.stringify(document) }
    }
    return built
  }
  // Writing it takes a tenth of a second, in which nobody else is answered.
  let page: Buffer | undefined
  return [
    { plugin: 'discovery', contract: documentRoutes.getOpenApi, handler: () => new RawJson(documents().text) },
    {
      plugin: 'discovery',
      contract: documentRoutes.getApiDocs,
      handler() {
        page ??= Buffer.from(renderDocsPage(documents().document))
        return new Reply(new ByteStream(page, 'text/html; charset=utf-8'), {
          headers: { 'content-security-policy': docsPolicy },
        })
      },
    },
  ]
}
