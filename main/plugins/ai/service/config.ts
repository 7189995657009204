// Who answers: the embedded provider, or a language model somewhere. The key is sealed and never shown.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { AiInput, AiOutput } from '../api.ts'
import type { ConfigRow } from '../store.ts'
import { getConfig, putConfig } from '../store.ts'
import type { ModelTarget } from './model-client.ts'

/** What stands for a key that is set; writing it back changes nothing. */
const mask = '********'

const standard: ConfigRow = { provider: 'embedded', base_url: null, model: null, api_key: null, timeout_ms: 30_000 }

/** What was asked before a restore answers after it, too: whom somebody stopped asking is told nothing again (D-420). */
export async function keepProvider({ options, write }: Pick<PluginHost, 'options' | 'write'>): Promise<void> {
  const before = options.restored?.read((at) => getConfig(at) ?? standard)
  if (before != null) await write('ai.keep-provider', (tx) => putConfig(tx, before))
}

/** The chosen provider. */
export interface ProviderConfig {
  shown(): AiOutput<'getAiConfig'>
  /** @throws validation_error */
  set(ctx: RequestContext, input: AiInput<'setAiConfig'>): Promise<AiOutput<'setAiConfig'>>
  /** The model that answers; null for the embedded provider. */
  target(): Promise<ModelTarget | null>
}

/** Makes it. */
export function createProviderConfig(parts: {
  readonly read: Reads
  readonly write: Write
  readonly secrets: SecretStore
  readonly outbound: Outbound
}): ProviderConfig {
  const { read, write, secrets, outbound } = parts
  // Its one writer is here, and who asks how the plugin does asks often.
  let known = getConfig(read) ?? standard
  const stored = (): ConfigRow => known
  const shown: ProviderConfig['shown'] = () => {
    const { provider, base_url: baseUrl, model, api_key: key, timeout_ms: timeoutMs } = stored()
    return { provider, baseUrl, model, apiKey: key === null ? null : mask, timeoutMs }
  }
  return {
    shown,
    async set(ctx, input) {
      const before = stored()
      const baseUrl = input.baseUrl === undefined ? before.base_url : emptyToNull(input.baseUrl)
      const model = input.model === undefined ? before.model : emptyToNull(input.model)
      const provider = input.provider ?? before.provider
      const problems: FieldError[] = []
      if (provider === 'openai_compatible') {
        if (baseUrl === null) problems.push({ field: 'baseUrl', code: 'required', message: 'The address is missing.' })
        if (model === null) problems.push({ field: 'model', code: 'required', message: 'The model is missing.' })
      }
      const problem = baseUrl === null ? undefined : outbound.problemOf(baseUrl)
      if (problem === 'target_forbidden')
        problems.push({ field: 'baseUrl', code: 'not_allowed', message: 'The host is not one that may be asked.' })
      else if (problem !== undefined)
        problems.push({ field: 'baseUrl', code: 'invalid_url', message: 'The address must be one of http or https.' })
      if (problems.length > 0) throw validationError(problems)
      // A key belongs to the host it was given for, and goes there in clear only where it was given so.
      const isSamePlace = baseUrl !== null && originOf(baseUrl) === originOf(before.base_url)
      const kept = isSamePlace ? before.api_key : null
      const key =
        input.apiKey === undefined || input.apiKey === mask
          ? kept
          : emptyToNull(input.apiKey) === null
            ? null
            : await secrets.seal(input.apiKey!)
      const row = { provider, base_url: baseUrl, model, api_key: key, timeout_ms: input.timeoutMs ?? before.timeout_ms }
      await write('ai.config', (tx) => {
        putConfig(tx, row)
        tx.emit(ctx, { type: 'ai.configured', payload: { provider, model, origin: originOf(baseUrl) } })
      })
      known = row
      return shown()
    },
    async target() {
      const { provider, base_url: baseUrl, model, api_key: key, timeout_ms: timeoutMs } = stored()
      if (provider !== 'openai_compatible' || baseUrl === null || model === null) return null
      return { baseUrl, model, apiKey: key === null ? null : await secrets.open(key), timeoutMs }
    },
  }
}

function emptyToNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text.trim()
}

function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null
}
