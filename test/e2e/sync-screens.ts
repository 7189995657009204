// The part of the register of screens about sync: each begins with a scene of how devices stand to each other, answered by
// a server of its own, because no machine of a test is ever in all of these states.
import type { Page } from 'playwright-core'
import { startSyncAnswers } from '../support/sync-answers.ts'
import type { SyncAnswers, SyncScene } from '../support/sync-answers.ts'
import {
  comparing,
  minutesAgo,
  someAside,
  someProblems,
  syncOffScene,
  syncScene,
  syncSceneWith,
} from '../support/sync-scenes.ts'
import { dialog, heading } from './screen.ts'
import type { Screen } from './screen.ts'

/** Answers what a page asks about sync from a scene, until the page is closed. */
export async function answerSync(page: Page, scene: SyncScene): Promise<SyncAnswers> {
  const answers = await startSyncAnswers(scene)
  page.once('close', () => void answers.stop())
  await page.route(/\/api\/v1\/sync\/(?!docs)/, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    await route.continue({ url: `${answers.url}${pathname}${search}` })
  })
  await page.reload()
  return answers
}

const sync = { covers: '/sync/:part?', state: 'full', route: '/sync', workspace: 'seeded' } as const
const join = { covers: '/sync/join', state: 'full', route: '/sync/join', workspace: 'fresh' } as const

async function stands(page: Page, scene: SyncScene, line: string | RegExp): Promise<void> {
  await answerSync(page, scene)
  await heading(page, 'Sync and devices')
  await page.locator('main').getByText(line).first().waitFor()
}

async function invite(page: Page, scene: SyncScene): Promise<void> {
  await answerSync(page, scene)
  await page.getByRole('button', { name: 'Add a device' }).click()
  await dialog(page, 'Add a device')
}

const refusedWith = (reason: string): SyncScene['refusals'] => ({
  joinPairing: { httpStatus: 409, code: 'pairing_refused', details: { reason } },
})

async function askToJoin(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill('409 3127')
  await page.getByRole('textbox', { name: 'Address of the other device' }).fill('192.168.1.20:7421')
  await page.getByRole('textbox', { name: 'Name of this device' }).fill('Workshop')
  await page.getByRole('button', { name: 'Connect' }).click()
}

/** Screens of sync. */
export const syncScreens: readonly Screen[] = [
  {
    ...sync,
    name: 'sync-off',
    state: 'empty',
    reach: async (page) => {
      await answerSync(page, syncOffScene())
      await page.getByRole('textbox', { name: 'Name of this device' }).waitFor()
      await page.getByRole('button', { name: 'Turn sync on' }).click()
      await page.getByText('Give this device a name.').waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-preparing',
    state: 'loading',
    reach: async (page) => {
      const progress = { done: 3_100, total: 12_000 }
      await stands(
        page,
        syncSceneWith({ state: 'preparing', progress, proof: undefined }, { peers: [] }),
        /^Preparing 3,100 of 12,000$/,
      )
    },
  },
  {
    ...sync,
    name: 'sync-up-to-date',
    reach: async (page) => stands(page, syncScene(), /^Up to date \(proved .* with Laptop, Relay\)$/),
  },
  {
    ...sync,
    name: 'sync-unproved',
    reach: async (page) => stands(page, syncSceneWith({ proof: undefined }), /^Connected, not proved yet$/),
  },
  {
    ...sync,
    name: 'sync-receiving',
    state: 'loading',
    reach: async (page) => {
      const incoming = { remaining: 1_760, total: 2_100, partial: true }
      await stands(page, syncSceneWith({ state: 'receiving', incoming }), /^Receiving 340 of 2,100$/)
    },
  },
  {
    ...sync,
    name: 'sync-offline',
    state: 'offline',
    reach: async (page) => {
      const outgoing = { waiting: 5, oldestAt: minutesAgo(70) }
      await stands(page, syncSceneWith({ state: 'offline', outgoing }), /^Offline, 5 changes waiting since /)
    },
  },
  {
    ...sync,
    name: 'sync-attention',
    state: 'error',
    reach: async (page) => {
      const counts = { conflicts: 2, refused: 0, keptHere: 0, parked: 1, quarantined: 1, waiting: 0, repairs: 3 }
      await stands(page, syncSceneWith({ state: 'attention', counts }), /^Attention \(4\)$/)
      await page.getByRole('button', { name: 'Sync: Attention (4)' }).click()
      await dialog(page, /^Sync/)
    },
  },
  {
    ...sync,
    name: 'sync-stalled',
    state: 'error',
    reach: async (page) => {
      const lastError = { reason: 'not_acknowledged', at: minutesAgo(3) }
      await stands(
        page,
        syncSceneWith({ state: 'stalled', reason: 'not_acknowledged', lastError }),
        /^Stalled: changes of this device are not confirmed$/,
      )
    },
  },
  {
    ...sync,
    name: 'sync-device-menu',
    state: 'dialog',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByRole('button', { name: 'Actions for Laptop' }).click()
      await page.getByRole('menuitem', { name: 'Rename…' }).waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-own-rename',
    state: 'dialog',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByRole('button', { name: 'Rename…' }).click()
      await dialog(page, 'Rename this device')
      await page.getByRole('textbox', { name: 'Name' }).fill(' ')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Give the device a name.').waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-device-remove',
    state: 'dialog',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByRole('button', { name: 'Actions for Laptop' }).click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      await dialog(page, 'Remove Laptop?')
    },
  },
  {
    ...sync,
    name: 'sync-device-address',
    state: 'dialog',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByRole('button', { name: 'Actions for Workshop' }).click()
      await page.getByRole('menuitem', { name: 'Change address…' }).click()
      await page.getByRole('textbox', { name: 'Address' }).fill('workshop')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Write a host and a port').waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-connection',
    route: '/sync/connection',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByRole('textbox', { name: 'Address of the relay' }).waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-waiting',
    route: '/sync/waiting',
    reach: async (page) => {
      const counts = { conflicts: 1, refused: 0, keptHere: 0, parked: 1, quarantined: 1, waiting: 0, repairs: 0 }
      const outgoing = { waiting: 14, oldestAt: minutesAgo(12) }
      await answerSync(page, syncSceneWith({ state: 'attention', counts, outgoing }, { problems: someProblems }))
      await page.getByRole('rowheader', { name: /1204998311\/882/ }).waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-waiting-none',
    state: 'empty',
    route: '/sync/waiting',
    reach: async (page) => {
      await answerSync(page, syncScene())
      await page.getByText('Nothing is waiting').waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-failed',
    state: 'error',
    reach: async (page) => {
      await answerSync(page, syncScene({ refusals: { listSyncPeers: { httpStatus: 500, code: 'internal_error' } } }))
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...sync,
    name: 'pair-invite',
    state: 'dialog',
    reach: async (page) => {
      const scene = syncScene()
      await invite(page, { ...scene, pairing: { ...scene.pairing, triesLeft: 1 } })
      await page.getByText('409 3127').waitFor()
      await page.getByText('A wrong code was entered. 1 try left.').waitFor()
    },
  },
  {
    ...sync,
    name: 'pair-invite-not-listening',
    state: 'dialog',
    reach: async (page) => {
      const refusals = {
        invitePairing: { httpStatus: 409, code: 'pairing_refused', details: { reason: 'not_listening' } },
      }
      await invite(page, syncScene({ refusals }))
      await page.getByRole('button', { name: 'Listen and make a code' }).waitFor()
    },
    expectedErrors: ['409'],
  },
  {
    ...sync,
    name: 'pair-invite-compare',
    state: 'dialog',
    reach: async (page) => {
      await invite(page, syncScene({ pairing: comparing('inviter') }))
      await page.getByText('482 913').waitFor()
    },
  },
  {
    ...sync,
    name: 'pair-invite-confirmed',
    state: 'dialog',
    reach: async (page) => {
      await invite(page, syncScene({ pairing: { ...comparing('inviter'), state: 'confirmed' } }))
      await page.getByText('Waiting for the other screen').waitFor()
    },
  },
  {
    ...sync,
    name: 'pair-invite-transfer',
    state: 'dialog',
    reach: async (page) => {
      const progress = { done: 340, total: 2_100 }
      await invite(page, syncScene({ pairing: { ...comparing('inviter'), state: 'transferring', progress } }))
      await page.getByText('Sending 340 of 2,100').waitFor()
    },
  },
  {
    ...sync,
    name: 'pair-invite-done',
    state: 'dialog',
    reach: async (page) => {
      await invite(page, syncScene({ pairing: { ...comparing('inviter'), state: 'done' } }))
      await page.getByText('Workshop belongs to this workspace now').waitFor()
    },
  },
  {
    ...sync,
    name: 'pair-invite-refused',
    state: 'dialog',
    reach: async (page) => {
      await invite(page, syncScene({ pairing: { ...comparing('inviter'), state: 'failed', reason: 'not_matching' } }))
      await page.getByText('The numbers differed').waitFor()
    },
  },
  {
    ...join,
    name: 'pair-join',
    reach: async (page) => {
      await answerSync(page, syncOffScene())
      await page.getByRole('button', { name: 'Connect' }).click()
      await page.getByText('The code has seven digits.').waitFor()
    },
  },
  {
    ...join,
    name: 'pair-join-link',
    reach: async (page) => {
      await answerSync(page, syncOffScene())
      await page.evaluate((link) => {
        window.location.hash = `/sync/join?link=${encodeURIComponent(link)}`
      }, syncScene().invite.link)
      await heading(page, 'Join with this link?')
      await page.getByText('192.168.1.20:7421').waitFor()
    },
  },
  {
    ...join,
    name: 'pair-join-refused',
    state: 'error',
    reach: async (page) => {
      await answerSync(page, syncOffScene({ refusals: refusedWith('workspace_not_empty') }))
      await askToJoin(page)
      await page.getByText('Only an empty one can join').waitFor()
    },
    expectedErrors: ['409'],
  },
  {
    ...join,
    name: 'pair-join-wrong-code',
    state: 'error',
    reach: async (page) => {
      const refusals = { joinPairing: { httpStatus: 403, code: 'pairing_code_invalid', details: { triesLeft: 2 } } }
      await answerSync(page, syncOffScene({ refusals }))
      await askToJoin(page)
      await page.getByText('This is not the code. 2 tries left.').waitFor()
    },
    expectedErrors: ['403'],
  },
  {
    ...join,
    name: 'pair-join-not-empty',
    state: 'error',
    workspace: 'seeded',
    reach: async (page) => {
      await answerSync(page, syncOffScene())
      await page.getByText('This device already holds data').waitFor()
      await askToJoin(page)
      await page.getByText('Say that what is here stays on this device.').waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-aside',
    reach: async (page) => {
      await stands(page, syncScene({ aside: someAside }), /^Up to date /)
      await page.getByRole('heading', { name: 'Only on this device' }).waitFor()
    },
  },
  {
    ...sync,
    name: 'sync-aside-adopt',
    reach: async (page) => {
      await stands(page, syncScene({ aside: someAside }), /^Up to date /)
      await page.getByRole('button', { name: 'Bring in Albums' }).click()
      await dialog(page, 'Bring Albums into the workspace?')
    },
  },
  {
    ...join,
    name: 'pair-join-compare',
    reach: async (page) => {
      await answerSync(page, syncOffScene({ pairing: comparing('joiner') }))
      await askToJoin(page)
      await page.getByText('482 913').waitFor()
    },
  },
  {
    ...join,
    name: 'pair-join-transfer',
    state: 'loading',
    reach: async (page) => {
      const progress = { done: 340, total: 2_100 }
      await answerSync(page, syncOffScene({ pairing: { ...comparing('joiner'), state: 'transferring', progress } }))
      await askToJoin(page)
      await page.getByText('Receiving 340 of 2,100').waitFor()
    },
  },
  {
    ...join,
    name: 'pair-join-done',
    reach: async (page) => {
      await answerSync(page, syncOffScene({ pairing: { ...comparing('joiner'), state: 'done' } }))
      await askToJoin(page)
      await page.getByRole('button', { name: 'Open the workspace' }).waitFor()
    },
  },
  {
    name: 'record-not-sent',
    covers: '/o/:name/record/:id',
    state: 'full',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page, bench) => {
      const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/book?title=Book 3')
      const scene = syncScene({ record: { state: 'here', missingOn: ['d1', 'd2'], refusedBy: [], conflicts: 2 } })
      await answerSync(page, scene)
      await page.evaluate((id) => {
        window.location.hash = `/o/book/record/${id}`
      }, records[0]?.id)
      await page.getByRole('img', { name: 'Not yet on Laptop, Workshop' }).waitFor()
    },
  },
]
