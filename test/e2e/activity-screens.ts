// The part of the register of screens about records, their activity and history, and notifications.
import type { Page } from 'playwright-core'
import type { ConsoleBench } from './open-console.ts'
import { heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'
import { actAs, bookCalled, ownerId } from './seed-activity.ts'

const seeded = { state: 'full', workspace: 'seeded' } as const
const beside = { ...seeded, covers: '/o/:name', route: '/o/book', scrollsSideways: true } as const
const page = { ...seeded, covers: '/o/:name/record/:id', route: '/' } as const
const inbox = { ...seeded, covers: '/notifications/:part?', route: '/notifications' } as const

async function go(to: Page, route: string): Promise<void> {
  await to.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

async function besideTable(to: Page, bench: ConsoleBench, tab: string): Promise<void> {
  await to.getByText('240 records').waitFor()
  await go(to, `/o/book?rec=${await bookCalled(bench, 'Book 1')}&tab=${tab}`)
  await to.getByRole('complementary', { name: 'Record: Book 1' }).waitFor()
}

async function onPage(to: Page, bench: ConsoleBench, title: string, tab = 'activity'): Promise<void> {
  await go(to, `/o/book/record/${await bookCalled(bench, title)}?tab=${tab}`)
  await heading(to, title)
}

/** Waits for the comment that was made readable by then. */
const shownComment = async (to: Page): Promise<void> => to.getByText('could you check the pages?').waitFor()

/** Screens of activity. */
export const activityScreens: readonly Screen[] = [
  {
    ...beside,
    name: 'record-peek',
    reach: async (to, bench) => {
      await besideTable(to, bench, 'details')
      await to.getByText('System', { exact: true }).click()
    },
  },
  {
    ...beside,
    name: 'record-peek-activity',
    reach: async (to, bench) => {
      await besideTable(to, bench, 'activity')
      await shownComment(to)
    },
  },
  {
    ...beside,
    name: 'record-peek-history',
    reach: async (to, bench) => {
      await besideTable(to, bench, 'history')
      await to.getByRole('button', { name: /^Restore this value of Genre/ }).waitFor()
    },
  },
  {
    ...beside,
    name: 'records-edited-elsewhere',
    reach: async (to, bench) => {
      await to.getByText('240 records').waitFor()
      const grace = await actAs(bench, 'grace')
      const cell = { recordId: await bookCalled(bench, 'Book 4'), field: 'pages' }
      const say = async (status: 'online' | 'offline'): Promise<unknown> =>
        // With the last page the host may be gone as well.
        grace('POST', '/realtime/presence', { channel: 'object:book', state: { status, cell } }).catch(() => undefined)
      await say('online')
      // She would be gone after a minute, and with the page she is.
      const again = setInterval(() => void say('online'), 20_000)
      to.once('close', () => {
        clearInterval(again)
        void say('offline')
      })
      await to.getByTitle('Grace Hopper is editing this').waitFor()
    },
  },
  {
    ...page,
    name: 'record-page',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 1')
      await shownComment(to)
    },
  },
  {
    ...page,
    name: 'record-related',
    reach: async (to, bench) => {
      const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/distributor?sort=name&top=1')
      await go(to, `/o/distributor/record/${records[0]?.id}`)
      await to.getByRole('link', { name: 'Film 1', exact: true }).waitFor()
    },
  },
  {
    ...page,
    name: 'record-related-link',
    state: 'dialog',
    reach: async (to, bench) => {
      const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/distributor?sort=name&top=1')
      await go(to, `/o/distributor/record/${records[0]?.id}`)
      await to.getByRole('button', { name: /^Link existing records/ }).click()
      await to.getByRole('combobox', { name: 'Record' }).fill('Film 2')
      await to.getByRole('option', { name: 'Film 2', exact: true }).waitFor()
    },
  },
  {
    ...page,
    name: 'record-restore-all',
    state: 'dialog',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 1', 'history')
      await to
        .getByRole('button', { name: /^Restore the record to this point/ })
        .last()
        .click()
      await to.getByRole('dialog', { name: /^Restore the record to/ }).waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-mention',
    state: 'dialog',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 1')
      await to.getByRole('textbox', { name: 'Write a comment' }).click()
      await to.keyboard.type('To @g')
      await to.getByRole('option', { name: 'Grace Hopper' }).waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-reaction',
    state: 'dialog',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 1')
      await shownComment(to)
      await to.getByRole('button', { name: 'React' }).first().click()
      await to.getByRole('textbox', { name: 'Emoji or :shortcode:' }).fill('word')
      await to.keyboard.press('Enter')
      await to.getByText('One emoji, or a word like').waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-reply',
    state: 'dialog',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 1')
      await shownComment(to)
      await to.getByRole('button', { name: 'Reply' }).last().click()
      await to.getByRole('textbox', { name: 'Write a reply' }).waitFor()
      await to.keyboard.press('ControlOrMeta+Enter')
      await to.getByText('Write something first.').waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-no-match',
    state: 'empty',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 2')
      await to.getByRole('searchbox', { name: 'Search activity' }).fill('nowhere')
      await to.getByText('Nothing matches.').waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-refused',
    state: 'error',
    reach: async (to, bench) => {
      await refuse(to, /\/feed/, 'service_unavailable', 503)
      await onPage(to, bench, 'Book 2')
      await to.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['503'],
  },
  {
    ...page,
    name: 'record-page-field-refused',
    state: 'error',
    reach: async (to, bench) => {
      await onPage(to, bench, 'Book 2')
      await to.getByRole('button', { name: /^Edit Pages/ }).click()
      await to.getByRole('textbox', { name: 'Pages' }).fill('many')
      await to.keyboard.press('Enter')
      await to.getByRole('button', { name: 'Discard my text' }).waitFor()
    },
  },
  {
    ...page,
    name: 'record-page-gone',
    state: 'error',
    reach: async (to) => {
      await go(to, '/o/book/record/01a00000-0000-7000-8000-000000000000')
      await heading(to, 'This record is not there')
    },
    expectedErrors: ['404', '403'],
  },
  {
    ...inbox,
    name: 'notifications',
    reach: async (to) => to.getByRole('link', { name: /mentioned you on Book 1/ }).waitFor(),
  },
  {
    ...inbox,
    name: 'notifications-withheld',
    route: '/',
    reach: async (to, bench) => {
      const grace = await actAs(bench, 'grace')
      const feed = `/data/book/${await bookCalled(bench, 'Book 3')}/feed`
      const body = `@[owner](user:${ownerId}) never mind`
      const { data } = await grace<{ data: { id: string } }>('POST', feed, { type: 'comment', body })
      await to.getByRole('link', { name: /^Notifications, \d+ unread$/ }).waitFor()
      await grace('DELETE', `${feed}/${data.id}`)
      await go(to, '/notifications')
      await to.getByText('About something you can no longer see').first().waitFor()
    },
  },
  {
    ...inbox,
    name: 'notifications-none',
    state: 'empty',
    workspace: 'fresh',
    reach: async (to) => to.getByText('Nothing new').waitFor(),
  },
  {
    ...inbox,
    name: 'notifications-refused',
    state: 'error',
    route: '/',
    reach: async (to) => {
      await refuse(to, /\/notifications\?/, 'service_unavailable', 503)
      await go(to, '/notifications')
      await to.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['503'],
  },
  {
    ...inbox,
    name: 'notification-preferences',
    route: '/notifications/preferences',
    reach: async (to) => {
      await to.getByRole('textbox', { name: 'Slack webhook address' }).fill('nonsense')
      await to.getByRole('button', { name: 'Save addresses' }).click()
      await to.getByText('Enter a complete address that begins with').waitFor()
    },
    expectedErrors: ['400'],
  },
]
