import { describe, expect, it } from 'vitest'
import { deviceName } from './device-name.ts'

const agents: readonly [string, string | undefined][] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox, Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge, Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15', 'Safari, macOS'],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome, Android'],
  ['curl/8.9.1', 'curl'],
  ['', undefined],
]

describe('device name', () => {
  it.each(agents)('%s', (agent, name) => {
    expect(deviceName(agent)).toBe(name)
  })
})
