// The registry of services plugins offer each other. Types come from declaration merging in each plugin's api.ts.

/** Service interfaces by plugin id; each `api.ts` merges its own entry. */
// oxlint-disable-next-line no-empty-interface -- filled by declaration merging
export interface ServiceRegistry {}

/** An id of a registered service. */
export type ServiceId = keyof ServiceRegistry & string

/** Holds the services of one host. */
export interface Services {
  /** @throws Error when the id is provided twice. */
  provide(id: string, service: unknown): void
  get(id: string): unknown
  has(id: string): boolean
}

/** Makes an empty registry. */
export function createServices(): Services {
  const services = new Map<string, unknown>()
  return {
    provide(id, service) {
      if (services.has(id)) throw new Error(`Service "${id}" is provided twice.`)
      services.set(id, service)
    },
    get: (id) => services.get(id),
    has: (id) => services.has(id),
  }
}
