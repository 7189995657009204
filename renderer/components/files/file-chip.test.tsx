// @vitest-environment happy-dom
// Proves that a place a picture stood in never shows it for another file: cells are used again while the grid is scrolled.
import { act, cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FileThumb } from './file-chip.tsx'

const fileOf = (fileId: string) => ({ fileId, name: `${fileId}.png`, mimeType: 'image/png', size: 10 })
const picture = (): HTMLImageElement | null => document.querySelector('img')

beforeEach(() => {
  // The edge of the machine: the host's bytes, and what a browser makes of a picture.
  vi.stubGlobal('fetch', async (address: string | URL | Request) => {
    const [, id = ''] = /files\/([^/?]+)/.exec(address instanceof Request ? address.url : String(address)) ?? []
    return new Response(new Blob([id]), { headers: { 'content-type': 'image/png' } })
  })
  vi.stubGlobal('createImageBitmap', async (file: Blob) => ({ width: 1, height: 1, close: () => undefined, file }))
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((give) => give(new Blob(['small'])))
  let made = 0
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:made-${(made += 1)}`)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('shows nothing while the picture of the next file is made, and that one then', async () => {
  const { rerender } = render(<FileThumb file={fileOf('a')} />)
  await waitFor(() => expect(picture()?.src).toBe('blob:made-1'))
  rerender(<FileThumb file={fileOf('b')} />)
  expect(picture()).toBeNull()
  await waitFor(() => expect(picture()?.src).toBe('blob:made-2'))
  // A picture element shows the last picture until the next one is read: it must be another element.
  const shown = picture()
  rerender(<FileThumb file={fileOf('a')} />)
  expect(picture()?.src).toBe('blob:made-1')
  expect(picture()).not.toBe(shown)
})

it('drops an answer that comes after the place was given to another file', async () => {
  const { rerender } = render(<FileThumb file={fileOf('slow')} />)
  await act(async () => new Promise((resolve) => setTimeout(resolve, 140)))
  rerender(<FileThumb file={{ ...fileOf('text'), mimeType: 'text/plain' }} />)
  await act(async () => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(picture()).toBeNull()
})
