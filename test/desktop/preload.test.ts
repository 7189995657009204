import { expect, it, vi } from 'vitest'
import { ipcChannels } from '#shared/ipc.ts'
import { fake, lastCall, resetFake } from './fake-electron.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

it('puts window.cairn with getConnection on the page and nothing else', async () => {
  resetFake()
  await import('../../electron/preload.ts')
  expect([...fake().bridge.keys()]).toEqual(['cairn'])
  const bridge = fake().bridge.get('cairn') as Record<string, () => Promise<unknown>>
  expect(Object.keys(bridge)).toEqual(['getConnection'])
  await bridge.getConnection!()
  expect(lastCall('ipcRenderer.invoke')).toEqual([ipcChannels.getConnection])
})
