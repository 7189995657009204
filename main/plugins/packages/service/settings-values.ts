// Values of a package's configuration: judged, kept with secrets sealed, shown with secrets masked (D-125).
import type { ConfigurationProperty, PackageManifest } from '#shared/contracts/package-parts.ts'
import { secretMask } from '#shared/contracts/settings.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { isJsonMap, isSameJson } from '#shared/merge-patch.ts'

/** Values as they are kept. */
export interface StoredSettings {
  readonly values: Readonly<Record<string, unknown>>
  /** Sealed JSON by name. */
  readonly secrets: Readonly<Record<string, string>>
}

/** A package nobody has set anything of. */
export const noSettings: StoredSettings = { values: {}, secrets: {} }

type Properties = Readonly<Record<string, ConfigurationProperty>>

/** The properties of a manifest. */
function propertiesOf(manifest: Pick<PackageManifest, 'configuration'>): Properties {
  return manifest.configuration?.properties ?? {}
}

/**
 * The values after a change; null sets one back, the mask of a secret leaves it.
 * @param requires whether every required value has to be there afterwards
 * @throws validation_error naming `settings.<name>`
 */
export async function changeSettings(
  manifest: Pick<PackageManifest, 'configuration'>,
  stored: StoredSettings,
  given: Readonly<Record<string, unknown>>,
  { seal, requires }: { readonly seal: (text: string) => Promise<string>; readonly requires: boolean },
): Promise<StoredSettings> {
  const properties = propertiesOf(manifest)
  const values: Record<string, unknown> = {}
  const secrets: Record<string, string> = {}
  const errors: FieldError[] = []
  for (const [name, value] of Object.entries(stored.values)) if (Object.hasOwn(properties, name)) values[name] = value
  for (const [name, value] of Object.entries(stored.secrets)) if (Object.hasOwn(properties, name)) secrets[name] = value
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name]! : undefined
    const field = `settings.${name}`
    if (property === undefined) {
      errors.push({ field, code: 'unknown_field', message: 'The package has no such setting.' })
    } else if (value === null) {
      delete values[name]
      delete secrets[name]
    } else if (property.secret === true && value === secretMask) {
      // What is shown in place of a secret means the secret as it is.
    } else {
      const problem = problemOf(property, value)
      if (problem !== null) {
        errors.push({ field, ...problem, ...(property.secret === true ? {} : { value }) })
      } else if (property.secret === true) secrets[name] = await seal(JSON.stringify(value))
      else values[name] = value
    }
  }
  if (requires) {
    for (const [name, { required, default: usual }] of Object.entries(properties)) {
      const isThere = Object.hasOwn(values, name) || Object.hasOwn(secrets, name) || usual !== undefined
      const isToldOf = errors.some(({ field }) => field === `settings.${name}`)
      if (required !== true || isThere || isToldOf) continue
      errors.push({ field: `settings.${name}`, code: 'required', message: 'The package needs a value.' })
    }
  }
  if (errors.length > 0) throw validationError(errors)
  return { values, secrets }
}

/** The values as they are shown, defaults among them. */
export function shownSettings(
  manifest: Pick<PackageManifest, 'configuration'>,
  stored: StoredSettings,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(propertiesOf(manifest)).flatMap(([name, { secret, default: usual }]): [string, unknown][] => {
      if (secret === true) {
        return Object.hasOwn(stored.secrets, name) || usual !== undefined ? [[name, secretMask]] : []
      }
      const value = Object.hasOwn(stored.values, name) ? stored.values[name] : usual
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A manifest as it is shown: usual values of secrets are secrets, too. */
export function maskedManifest(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { configuration } = manifest
  const properties = isJsonMap(configuration) ? configuration['properties'] : undefined
  if (!isJsonMap(configuration) || !isJsonMap(properties)) return { ...manifest }
  const masked = Object.entries(properties).map(([name, property]) => {
    const hides = isJsonMap(property) && property['secret'] === true && property['default'] !== undefined
    return [name, hides ? { ...property, default: secretMask } : property]
  })
  return { ...manifest, configuration: { ...configuration, properties: Object.fromEntries(masked) } }
}

function problemOf(property: ConfigurationProperty, value: unknown): Pick<FieldError, 'code' | 'message'> | null {
  if (!isOfType(property.type, value)) {
    const code = property.type === 'number' || property.type === 'integer' ? 'invalid_number' : 'invalid_type'
    return { code: property.type === 'boolean' ? 'invalid_boolean' : code, message: `Expected ${property.type}.` }
  }
  if (property.enum !== undefined && !property.enum.some((one) => isSameJson(one, value))) {
    return { code: 'invalid_option', message: 'The value is not among those the package takes.' }
  }
  if (JSON.stringify(value).length > 100_000) return { code: 'max_length', message: 'The value is too long.' }
  return null
}

function isOfType(type: ConfigurationProperty['type'], value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isJsonMap(value) : typeof value === type
}
