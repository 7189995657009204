// Contracts of languages and their texts (specification "i18n", D-180).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

const text = z.union([z.string(), z.array(z.string())]).optional()

const Translations = z
  .object({
    locale: z.string(),
    requestedLocale: z.string().optional(),
    translations: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Translations' })

const FieldLabels = z.object({
  label: z.string(),
  help: z.string().optional(),
  placeholder: z.string().optional(),
  options: z.record(z.string(), z.string()).optional(),
})

const reading = {
  method: 'GET',
  mount: 'versioned',
  permission: 'session',
  rateLimit: 'read',
  channel: 'metadata',
  tag: 'i18n',
  errors: [],
} as const
const textQuery = z.object({ locale: text, namespace: text, keys: text })

/** The routes of the `i18n` plugin. */
export const i18nRoutes = defineRoutes({
  listLocales: defineRoute({
    ...reading,
    operationId: 'listLocales',
    path: '/i18n/locales',
    response: z.object({
      locales: z.array(
        z.object({
          code: z.string(),
          label: z.string(),
          isDefault: z.boolean(),
          direction: z.enum(['ltr', 'rtl']),
        }),
      ),
    }),
    summary: 'The languages of the workspace.',
  }),
  getTranslations: defineRoute({
    ...reading,
    operationId: 'getTranslations',
    path: '/i18n/translations',
    query: textQuery,
    response: Translations,
    summary: 'Every text of a language, or those of a group or of some keys.',
  }),
  getTranslationsByPath: defineRoute({
    ...reading,
    operationId: 'getTranslationsByPath',
    path: '/i18n/translations/:locale',
    params: z.object({ locale: z.string() }),
    query: textQuery,
    response: Translations,
    summary: 'Every text of a language, named in the path.',
  }),
  getLabels: defineRoute({
    ...reading,
    operationId: 'getLabels',
    path: '/i18n/labels/:object',
    aliases: [{ mount: 'versioned', path: '/i18n/labels/:object/:locale' }],
    params: z.object({ object: z.string(), locale: z.string().optional() }),
    query: z.object({ locale: text }),
    response: z.object({ object: z.string(), locale: z.string(), labels: z.record(z.string(), FieldLabels) }),
    errors: ['permission_denied'],
    summary: 'Labels, help and options of the fields of an object.',
  }),
})
