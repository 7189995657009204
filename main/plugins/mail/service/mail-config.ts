// Where the mail server is: the key `mail` of config.json, else `auth.mail`, where it was kept before there was another
// use for it.
import { z } from 'zod'
import type { HostFacts } from '#main/kernel/plugin.ts'

const Settings = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  secure: z.boolean().default(false),
  user: z.string().optional(),
  password: z.string().optional(),
  from: z.string().min(3).max(320),
})

/** The mail server and the address mails come from. */
export type MailSettings = z.output<typeof Settings>

/**
 * Reads the settings; undefined when no mail server is named.
 * @throws Error naming every wrong setting
 * @source D-39
 */
export function readMailConfig(config: HostFacts['config']): MailSettings | undefined {
  const own = config('mail')
  const [place, values] = Object.keys(own).length > 0 ? (['mail', own] as const) : ['auth.mail', config('auth')['mail']]
  if (values === undefined) return undefined
  const parsed = Settings.safeParse(values)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${[place, ...path.map(String)].join('.')}: ${message}`,
  )
  throw new Error(`config.json has settings of mail that are not valid. ${problems.join(' ')}`)
}
