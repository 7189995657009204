// The library of accounts: loaded with the first request that needs it, because it is large. Its rows hold digests of
// session tokens and device codes, never the codes themselves. Knows no request.
import type { BetterAuthOptions, Where } from 'better-auth'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { LibraryParts } from './library-options.ts'
import { digestOf } from './session-lookup.ts'

/** What the loaded library offers. */
export interface Library {
  handle(request: Request): Promise<Response>
  /** Stores a value that can be redeemed once. */
  createVerification(identifier: string, value: string, expiresAt: Date): Promise<void>
  /** The value behind an identifier, which stays redeemable. */
  findVerification(identifier: string): Promise<{ value: string; expiresAt: Date } | null>
  /** The documents of the OpenID provider role. */
  openidConfiguration(): Promise<unknown>
  oauthServerMetadata(): Promise<unknown>
}

/** What the library is loaded with. */
export interface LibraryLoading extends LibraryParts {
  readonly read: Reads
  readonly write: Write
  readonly onChange: (table: string) => void
}

/** Loads the modules of the library. */
export const loadModules = () =>
  Promise.all([
    import('better-auth'),
    import('@better-auth/kysely-adapter'),
    import('./library-options.ts'),
    import('./queued-kysely.ts'),
  ])

/** Loads the library. */
export async function loadLibrary(loading: LibraryLoading): Promise<Library> {
  const [{ betterAuth }, { kyselyAdapter }, { libraryOptions }, { createQueuedKysely }] = await loadModules()
  const db = createQueuedKysely(loading)
  const adapter = kyselyAdapter(db as Parameters<typeof kyselyAdapter>[0], { type: 'sqlite', transaction: false })
  const auth = betterAuth({
    ...libraryOptions(loading),
    database: (options: BetterAuthOptions) => withDigests(adapter(options)),
  })
  const context = await auth.$context
  const documents = auth.api as unknown as Record<string, ((input: object) => Promise<unknown>) | undefined>
  return {
    handle: (request) => auth.handler(request),
    async createVerification(identifier, value, expiresAt) {
      await context.internalAdapter.createVerificationValue({ identifier, value, expiresAt })
    },
    findVerification: (identifier) => context.internalAdapter.findVerificationValue(identifier),
    openidConfiguration: async () => documents['getOpenIdConfig']?.({}),
    oauthServerMetadata: async () => documents['getOAuthServerConfig']?.({}),
  }
}

type Adapter = ReturnType<ReturnType<(typeof import('@better-auth/kysely-adapter'))['kyselyAdapter']>>

/** The column of each model that holds a credential. */
const credentialOf: Readonly<Record<string, string>> = { session: 'token', deviceCode: 'deviceCode' }

/**
 * Puts digests in place of credentials on the way into the database. On the way out a credential comes back only where
 * the caller named it.
 */
function withDigests(inner: Adapter): Adapter {
  const sealed = (model: string, where: Where[] | undefined): Where[] | undefined => {
    const field = credentialOf[model]
    if (field === undefined) return where
    return where?.map((part) => {
      if (part.field !== field) return part
      const { value } = part
      if (typeof value === 'string') return { ...part, value: digestOf(value) }
      return Array.isArray(value) ? { ...part, value: value.map((entry) => digestOf(String(entry))) } : part
    })
  }
  const named = (model: string, where: Where[] | undefined): string | undefined => {
    const value = where?.find((part) => part.field === credentialOf[model])?.value
    return typeof value === 'string' ? value : undefined
  }
  const open = <T>(model: string, credential: string | undefined, row: T): T => {
    const field = credentialOf[model]
    if (field === undefined || credential === undefined || typeof row !== 'object' || row === null) return row
    return { ...row, [field]: credential }
  }
  const search =
    <I extends { model: string; where?: Where[] | undefined }, O>(run: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> =>
      open(
        input.model,
        named(input.model, input.where),
        await run({ ...input, where: sealed(input.model, input.where) }),
      )

  const outer: Adapter = {
    ...inner,
    async create(input) {
      const field = credentialOf[input.model]
      const credential = field === undefined ? undefined : (input.data as Record<string, unknown>)[field]
      if (field === undefined || typeof credential !== 'string') return inner.create(input)
      const data = { ...input.data, [field]: digestOf(credential) }
      return open(input.model, credential, await inner.create({ ...input, data }))
    },
    findOne: search(inner.findOne) as Adapter['findOne'],
    findMany: search(inner.findMany) as Adapter['findMany'],
    count: search(inner.count) as Adapter['count'],
    update: search(inner.update) as Adapter['update'],
    updateMany: search(inner.updateMany) as Adapter['updateMany'],
    delete: search(inner.delete) as Adapter['delete'],
    deleteMany: search(inner.deleteMany) as Adapter['deleteMany'],
    consumeOne: search(inner.consumeOne) as Adapter['consumeOne'],
    incrementOne: search(inner.incrementOne) as Adapter['incrementOne'],
    transaction: (work) => work(outer),
  }
  return outer
}
