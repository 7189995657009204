// What other plugins may ask of the options of the workspace. Types only.
import type { OptionName, OptionsPatch, WorkspaceOptions } from '#shared/contracts/settings.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** Called after an option was changed and stored. */
export type OptionListener = (changed: readonly OptionName[]) => void

/** The options of the workspace. Reads answer from memory. */
export interface SettingsService {
  /** The value in force. A secret reads as its mask, or null when it is not set. */
  get<K extends OptionName>(name: K): WorkspaceOptions[K]
  /** Every option; a frozen value that is replaced, never changed, so it can be compared by identity. */
  all(): WorkspaceOptions
  /**
   * Stores the given options and answers all of them; null sets one back to its default. Names and values must already
   * fit {@link OptionsPatch}. Values equal to the stored ones change nothing and raise nothing.
   * @param answered called in the transaction of the change with what will be answered
   */
  update(
    ctx: RequestContext,
    patch: OptionsPatch,
    answered?: (tx: Tx, options: WorkspaceOptions) => void,
  ): Promise<WorkspaceOptions>
  /** The secret itself; null when it is not set. */
  openSecret(name: 'packages.publisherToken'): Promise<string | null>
  /** Listens to stored changes; the answer ends it. */
  onChange(listener: OptionListener): () => void
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    settings: SettingsService
  }
}
