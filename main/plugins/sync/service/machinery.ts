// What a machine that takes part runs on, behind the ports of peers: the engine with all kinds of documents, and what
// sessions tell it. Loads nothing until it is asked for.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Conflicts } from '../conflicts/register-conflicts.ts'
import type { DocKinds } from '../engine/open-engine.ts'
import type { PeerRooms } from './shared/peer-rooms.ts'
import type { ControlParts } from '../peers/control.ts'
import type { LiveTexts } from '../service.ts'

/** What the machinery is made of. */
export interface MachineryParts {
  readonly host: PluginHost
  readonly data: DataService
  readonly metadata: MetadataService
  feed(): FeedService | undefined
  readonly conflicts: Conflicts
  readonly texts: Pick<LiveTexts, 'share'>
}

/** What the engine is opened with besides. */
export interface RoomsJoint {
  /** Takes the rooms of an engine; undefined when it stops. */
  use(rooms: PeerRooms | undefined): void
}

/** How often rooms look whether something is to be said to other machines. */
const beatMs = 1_000

/** What peers get of it. */
export interface Machinery extends Pick<ControlParts, 'openEngine' | 'hooks' | 'sessionsOpened'> {
  /** The id a person of this machine has on the others, and the other way round. */
  sharedId(id: string): string
}

/** Makes the opener of the engine, and what sessions tell beside the log. */
export function createMachinery(parts: MachineryParts): Machinery {
  const { host, data } = parts
  let kinds: DocKinds | undefined
  let provisional = 0
  let isNumbering = false
  let rooms: PeerRooms | undefined
  /** Set with the first engine: a host that never syncs gives numbers as always. */
  const beginNumbering = (): void => {
    if (isNumbering) return
    isNumbering = true
    data.setNumbering({
      provisional: () => {
        const mark = kinds?.provisionalMark() ?? null
        return mark === null
          ? null
          : `#~${mark}-${host.clock.now().toString().slice(-9)}${(provisional = (provisional + 1) % 1000)}`
      },
    })
  }
  return {
    sharedId: (id) => kinds?.identity.id(id) ?? id,
    async openEngine(start, own, roster) {
      const { createDocKinds, openEngine } = await import('../engine/open-engine.ts')
      kinds ??= createDocKinds(parts)
      beginNumbering()
      return openEngine({ ...parts, kinds, rooms: { use: (next) => (rooms = next) } }, start, own, roster)
    },
    hooks: {
      onLive: (peer, doc, update) => rooms?.onLive(peer, doc, update),
      onAware: (peer, doc, update) => rooms?.onAware(peer, doc, update),
    },
    sessionsOpened(sessions) {
      const spoken = rooms
      spoken?.speak(sessions)
      const stop = sessions.onChange(() => spoken?.look())
      const timer = setInterval(() => spoken?.beat(), beatMs)
      timer.unref()
      return () => {
        stop()
        clearInterval(timer)
        spoken?.speak(null)
        spoken?.look()
      }
    },
  }
}
