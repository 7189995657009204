// The three functions of decorator metadata that the container inside the certificate library asks for before it loads.
// It never stores anything of ours in them: they only have to be there. Knows nothing of certificates.

interface Metadata {
  getMetadata?(key: unknown, target: object): unknown
  getOwnMetadata?(key: unknown, target: object): unknown
  defineMetadata?(key: unknown, value: unknown, target: object): void
}

/**
 * Gives `Reflect` the metadata functions unless somebody did before. Values live as long as what they describe.
 * A package for them would bring a whole standard proposal; the library reads and writes plain keys of classes only.
 */
export function provideReflectMetadata(): void {
  const reflect = Reflect as Metadata
  if (reflect.getMetadata !== undefined) return
  const values = new WeakMap<object, Map<unknown, unknown>>()
  const own = (key: unknown, target: object): unknown => values.get(target)?.get(key)
  reflect.getOwnMetadata = own
  reflect.getMetadata = (key, target) => {
    for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at) as object | null) {
      if (values.get(at)?.has(key) === true) return own(key, at)
    }
    return undefined
  }
  reflect.defineMetadata = (key, value, target) => {
    const known = values.get(target) ?? new Map<unknown, unknown>()
    values.set(target, known.set(key, value))
  }
}
