// Channels of what happened to records and what people say about them: feeds, their search, changelogs.
import type { ChannelCases, LeakCase } from './leak-case.ts'
import { absentId, ask, get, post } from './leak-case.ts'
import type { World } from './world.ts'

/** Records every caller sees, and those that are hidden: with comments, older values, and in the trash. */
const recordsOf = (world: World): readonly string[] => [
  ...[...world.seen.slice(0, 3), ...world.hidden.slice(0, 2), world.seenDeleted, world.hiddenDeleted].map(
    (id) => `matter/${id}`,
  ),
  `person/${world.hiddenPerson}`,
  `vault/${world.vaults[0]}`,
  `matter_line/${world.seenLine}`,
]

/** An item everybody sees, one nobody does beside its author, a change nobody may read, an item of a hidden record. */
const itemsOf = (world: World): readonly (readonly [record: string, feedId: string])[] => [
  [`matter/${world.seen[0]}`, world.openItem],
  [`matter/${world.seen[0]}`, world.privateItem],
  [`matter/${world.seen[1]}`, world.hiddenChange],
  [`matter/${world.hidden[0]}`, world.hiddenItem],
  [`matter/${world.seen[0]}`, world.hiddenItem],
  [`matter/${world.seen[0]}`, absentId],
]

const onItems = (world: World, of: (path: string) => readonly LeakCase[]): LeakCase[] =>
  itemsOf(world).flatMap(([record, feedId]) => of(`/data/${record}/feed/${feedId}`))

/** Everything a limited caller may try with feeds and changelogs. */
export const feedChannels: Readonly<Record<string, ChannelCases>> = {
  'feed list': (world) => [
    ...recordsOf(world).flatMap((record) => [
      get(`/data/${record}/feed?limit=100`),
      get(`/data/${record}/feed?type=changes_only`),
      get(`//api/data/${record}/feed?limit=1`),
      get(`/data/${record}/feed/mentionable?query=q`),
    ]),
    ...[world.openItem, world.privateItem, world.hiddenChange].map((parent) =>
      get(`/data/matter/${world.seen[0]}/feed?parentId=${parent}`),
    ),
    get(`/data/matter/${world.seen[1]}/feed?parentId=${world.hiddenChange}`),
  ],
  'feed search': (world) =>
    recordsOf(world).flatMap((record) =>
      ['qzk', 'alpha', '-alpha', '"alpha beta"'].map((text) =>
        get(`/data/${record}/feed/search?query=${encodeURIComponent(text)}&limit=100`),
      ),
    ),
  'feed writes': (world, _role, at) => [
    ...recordsOf(world).map((record) => post(`/data/${record}/feed`, { type: 'comment', body: 'said' })),
    ...[world.openItem, world.privateItem, world.hiddenItem].map((parentId) =>
      post(`/data/matter/${world.seen[0]}/feed`, { type: 'comment', body: 'reply', parentId }),
    ),
    post(`/data/matter/${world.victims[at]}/feed`, { type: 'task', data: { assigneeId: absentId } }),
    ...onItems(world, (path) => [
      ask('PUT', path, { body: 'changed' }),
      ask('DELETE', path),
      post(`${path}/reactions`, { emoji: '👍' }),
      ask('DELETE', `${path}/reactions/${encodeURIComponent('👍')}`),
      post(`${path}/pin`),
      ask('DELETE', `${path}/pin`),
      post(`${path}/star`),
      ask('DELETE', `${path}/star`),
    ]),
  ],
  'feed subscriptions': (world) =>
    recordsOf(world).flatMap((record) => [
      get(`/data/${record}/subscribe`),
      post(`/data/${record}/subscribe`),
      ask('DELETE', `/data/${record}/subscribe`),
    ]),
  changelog: (world) => [
    ...recordsOf(world).flatMap((record) => [
      get(`/data/${record}/changelog?limit=200`),
      get(`//api/data/${record}/changelog?limit=1`),
    ]),
    ...world.triedFields.map((field) => get(`/data/matter/${world.seen[1]}/changelog?field=${field}`)),
    get(`/data/matter/${world.seen[1]}/changelog?field=keeper`),
  ],
}
