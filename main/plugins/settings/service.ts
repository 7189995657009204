// The options of the workspace: defaults, stored values, one cache of both. Knows no option's effect.
import { isDeepStrictEqual } from 'node:util'
import type { OptionName, OptionsPatch, WorkspaceOptions } from '#shared/contracts/settings.ts'
import { optionSchemas, secretMask } from '#shared/contracts/settings.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { OptionListener, SettingsService } from './api.ts'
import { deleteOption, putOption, readOptions } from './store.ts'

const secretOptions: ReadonlySet<string> = new Set<OptionName>(['packages.publisherToken'])

/** The value of every option until somebody changes it. `timezone` is that of the machine (D-10). */
export function defaultOptions(): WorkspaceOptions {
  return {
    locale: 'en',
    timezone: new Intl.DateTimeFormat('en').resolvedOptions().timeZone || 'UTC',
    currency: 'USD',
    rateLimits: {},
    maxBatchRecords: 1_000,
    trashRetentionDays: 0,
    'storage.publicDownloads': false,
    'storage.quotaBytes': null,
    'webhooks.allowedHosts': [],
    'packages.publisherToken': null,
    'packages.requireSigned': false,
    'registry.conflictResolution': 'error',
  }
}

/** Makes the service; stored values are read once, at the first use. */
export function createSettingsService(parts: {
  read: Reads
  write: Write
  secrets: SecretStore
  clock: Clock
  log: Logger
}): SettingsService {
  const { read, write, secrets, clock, log } = parts
  const defaults = defaultOptions()
  const listeners = new Set<OptionListener>()
  let stored: Map<string, unknown> | null = null
  let current: WorkspaceOptions = defaults

  const load = (): Map<string, unknown> => {
    if (stored === null) {
      stored = readOptions(read)
      current = assemble(defaults, stored, log)
    }
    return stored
  }

  const changesOf = async (patch: OptionsPatch): Promise<Map<OptionName, unknown>> => {
    const before = load()
    const changes = new Map<OptionName, unknown>()
    for (const [name, value] of Object.entries(patch) as [OptionName, unknown][]) {
      if (value === undefined) continue
      if (secretOptions.has(name) && typeof value === 'string') {
        if (value !== secretMask) changes.set(name, await secrets.seal(value))
        continue
      }
      const target = value === null ? undefined : value
      if (!isDeepStrictEqual(before.get(name), target)) changes.set(name, target)
    }
    return changes
  }

  return {
    get(name) {
      load()
      return current[name]
    },
    all() {
      load()
      return current
    },
    async update(ctx, patch, answered) {
      const changes = await changesOf(patch)
      if (changes.size === 0) return current
      const names = [...changes.keys()]
      await write('settings.update', (tx) => {
        for (const [name, value] of changes) {
          if (value === undefined) deleteOption(tx, name)
          else putOption(tx, { name, value, at: clock.iso(), by: ctx.actor.id })
        }
        tx.emit(ctx, { type: 'settings.changed', payload: { options: names } })
        answered?.(tx, assemble(defaults, readOptions(tx), log))
        tx.afterCommit(() => {
          stored = readOptions(read)
          current = assemble(defaults, stored, log)
        })
      })
      for (const listener of listeners) listener(names)
      return current
    },
    async openSecret(name) {
      const sealed = load().get(name)
      return typeof sealed === 'string' ? secrets.open(sealed) : null
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Defaults under stored values. A stored value that no longer fits its rule counts as absent. */
function assemble(defaults: WorkspaceOptions, stored: ReadonlyMap<string, unknown>, log: Logger): WorkspaceOptions {
  const options: Record<string, unknown> = { ...defaults }
  for (const [name, value] of stored) {
    const schema = optionSchemas[name as OptionName]
    if (schema === undefined) continue
    if (secretOptions.has(name)) {
      options[name] = secretMask
      continue
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) options[name] = parsed.data
    else log.warn({ option: name }, 'A stored option does not fit its rule; its default applies.')
  }
  return Object.freeze(options) as WorkspaceOptions
}
