import { expect, it, vi } from 'vitest'
import { ipcChannels } from '#shared/ipc.ts'
import { fake, lastCall, resetFake } from './fake-electron.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

it('puts window.cairn with its two members on the page and nothing else', async () => {
  resetFake()
  await import('../../electron/preload.ts')
  expect([...fake().bridge.keys()]).toEqual(['cairn'])
  const bridge = fake().bridge.get('cairn') as Record<string, (given?: unknown) => Promise<unknown>>
  expect(Object.keys(bridge)).toEqual(['getConnection', 'sayUnsent'])
  await bridge.getConnection!()
  expect(lastCall('ipcRenderer.invoke')).toEqual([ipcChannels.getConnection])
  await bridge.sayUnsent!(5)
  expect(lastCall('ipcRenderer.invoke')).toEqual([ipcChannels.sayUnsent, 5])
})
