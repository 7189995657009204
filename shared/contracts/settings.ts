// Contracts and meaning of the workspace options (D-204). The schemas are the only list of options there is.
import { z } from 'zod'
import { currencyCodes } from '../field-types/currencies.ts'
import { defineRoute, defineRoutes } from '../route.ts'

/** What stands for a secret that is set; saving it changes nothing. */
export const secretMask = '********'

const Bucket = z.strictObject({
  burst: z.int().min(1).max(1_000_000),
  refillPerSecond: z.number().positive().max(1_000_000),
})

const localeTag = z
  .string()
  .refine(isLocaleTag, { message: 'Expected a BCP-47 language tag.' })
  .meta({ description: 'BCP-47 tag of the language people see by default.', examples: ['en', 'de-CH'] })

const timeZone = z
  .string()
  .refine(isTimeZone, { message: 'Expected an IANA time zone.' })
  .meta({ description: 'IANA time zone in which dates without offset are read (D-10).', examples: ['Europe/Berlin'] })

/** Every option with its rule, by its dotted name. */
export const optionSchemas = {
  locale: localeTag,
  timezone: timeZone,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .refine((code) => currencyCodes.has(code), { message: 'Expected a currency code of ISO 4217.' })
    .meta({ description: 'ISO 4217 code that currency fields take when they name none.' }),
  rateLimits: z
    .strictObject({
      auth: Bucket.optional(),
      read: Bucket.nullable().optional(),
      write: Bucket.nullable().optional(),
      heavy: Bucket.nullable().optional(),
      hooks: Bucket.nullable().optional(),
    })
    .meta({
      description: 'Buckets that differ from the standard ones; null switches a class off, auth stays on (D-200).',
    }),
  maxBatchRecords: z.int().min(1).max(1_000).meta({ description: 'Most records one bulk request may carry (D-63).' }),
  trashRetentionDays: z
    .int()
    .min(0)
    .max(36_500)
    .meta({ description: 'Days after which deleted records are purged; 0 keeps them for ever (D-59).' }),
  'storage.publicDownloads': z.boolean().meta({ description: 'Serve files of scope public without sign-in (D-28).' }),
  'storage.quotaBytes': z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'Bytes all files together may take; null for as many as the disk holds (D-186).' }),
  'webhooks.allowedHosts': z
    .array(z.string().min(1).max(253))
    .max(100)
    .meta({ description: 'Private hosts that webhooks may call all the same (D-195).' }),
  'packages.publisherToken': z
    .string()
    .max(1_000)
    .nullable()
    .meta({ description: 'Token a package upload must present; reads back masked (D-129).' }),
  'packages.requireSigned': z.boolean().meta({ description: 'Refuse packages without a trusted signature (D-130).' }),
  'registry.conflictResolution': z
    .enum(['error', 'priority', 'first-wins', 'last-wins'])
    .meta({ description: 'What happens when two registered APIs claim one route (D-198).' }),
} as const

/** All options. */
export const WorkspaceOptions = z.object(optionSchemas).meta({ id: 'WorkspaceOptions' })

/** The value of every option. */
export type WorkspaceOptions = z.output<typeof WorkspaceOptions>

/** The name of an option. */
export type OptionName = keyof WorkspaceOptions

const nullable = Object.fromEntries(
  Object.entries(optionSchemas).map(([name, schema]) => [name, (schema as z.ZodType).nullable().optional()]),
) as { [K in OptionName]: z.ZodOptional<z.ZodNullable<(typeof optionSchemas)[K]>> }

/** Some options; null sets one back to its default. Unknown names are refused. */
export const OptionsPatch = z.strictObject(nullable).meta({ id: 'WorkspaceOptionsPatch' })

/** Options to change. */
export type OptionsPatch = z.output<typeof OptionsPatch>

const SettingsAnswer = z.object({ settings: WorkspaceOptions })

/** The routes of the `settings` plugin. */
export const settingsRoutes = defineRoutes({
  getSettings: defineRoute({
    operationId: 'getSettings',
    method: 'GET',
    mount: 'versioned',
    path: '/settings',
    response: SettingsAnswer,
    permission: { system: 'manage_settings' },
    rateLimit: 'read',
    errors: [],
    channel: 'settings',
    summary: 'Read the options of the workspace.',
    tag: 'settings',
  }),
  updateSettings: defineRoute({
    operationId: 'updateSettings',
    method: 'PATCH',
    mount: 'versioned',
    path: '/settings',
    body: z.union([z.strictObject({ settings: OptionsPatch }), OptionsPatch]),
    response: SettingsAnswer,
    permission: { system: 'manage_settings' },
    rateLimit: 'write',
    errors: [],
    bodyLimitBytes: 262_144,
    channel: 'settings',
    summary: 'Change options of the workspace; null sets one back to its default.',
    tag: 'settings',
  }),
})

function isLocaleTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    // Its only failure is a malformed tag.
    return false
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    // Its only failure is an unknown zone.
    return false
  }
}
