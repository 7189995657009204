import { expect, it, vi } from 'vitest'
import { ipcChannels, shellEvents } from '#shared/ipc.ts'
import { fake, lastCall, pageEvents, resetFake } from './fake-electron.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

it('puts window.cairn with the members of the bridge on the page and nothing else', async () => {
  resetFake()
  await import('../../electron/preload.ts')
  expect([...fake().bridge.keys()]).toEqual(['cairn'])
  const bridge = fake().bridge.get('cairn') as Record<string, (given?: unknown) => Promise<unknown>>
  expect(Object.keys(bridge)).toEqual([
    'getConnection',
    'sayUnsent',
    'sayCommands',
    'sayLanguage',
    'notify',
    'takeFile',
    'onCommand',
    'onFile',
  ])
  await bridge.getConnection!()
  expect(lastCall('ipcRenderer.invoke')).toEqual([ipcChannels.getConnection])
  await bridge.sayUnsent!(5)
  expect(lastCall('ipcRenderer.invoke')).toEqual([ipcChannels.sayUnsent, 5])
})

it('passes on what the shell tells, without the event that carries it, until it is ended', () => {
  const bridge = fake().bridge.get('cairn') as { onCommand(listener: (...told: unknown[]) => void): () => void }
  const listener = vi.fn()
  const end = bridge.onCommand(listener)
  pageEvents.emit(shellEvents.command, { sender: {} }, 'go.home')
  end()
  pageEvents.emit(shellEvents.command, { sender: {} }, 'go.objects')
  expect(listener.mock.calls).toEqual([['go.home']])
})
