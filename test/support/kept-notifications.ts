// A plugin in the place of notifications that keeps what it is told, as the service promises: once per cause and user.
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { NotificationDraft } from '#main/plugins/notifications/api.ts'

/** Everybody that was told something, in order. */
export interface KeptNotifications {
  readonly plugin: PluginDefinition
  readonly told: NotificationDraft[]
}

/** Makes the plugin; what a transaction that is rolled back told is not kept. */
export function createKeptNotifications(): KeptNotifications {
  const told: NotificationDraft[] = []
  const plugin = definePlugin({
    id: 'notifications',
    version: '1.0.0',
    register(host) {
      host.provide('notifications', {
        notify(tx, draft) {
          const isRepeat = told.some((one) => one.userId === draft.userId && one.dedupeKey === draft.dedupeKey)
          if (draft.dedupeKey !== undefined && isRepeat) return null
          tx.afterCommit(() => told.push(draft))
          return host.ids.uuid()
        },
        present: (_ctx, notification) => notification,
        wordsOf: () => null,
        preferences: () => ({ email: true, push: true, inApp: true, digest: 'none', channels: {} }),
      })
    },
  })
  return { plugin, told }
}
