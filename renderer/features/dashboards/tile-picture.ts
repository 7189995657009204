// Owns making a picture of a drawing: its vectors with the colours they have on screen, under the title, as PNG.
import { saveFile } from '../../lib/save-file.ts'

/** Pixels of the picture for each of the screen. */
const density = 2
const titleHeight = 36
const inherited = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'opacity', 'font-size', 'text-anchor'] as const
/** A picture loads no fonts of the page. */
const fonts = 'system-ui, sans-serif'

/** Hands the drawing as a picture to the browser to save. @throws Error when the browser cannot draw it */
export async function savePicture(svg: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const source = pictureOf(svg, title, width, height)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * density)
  canvas.height = Math.ceil((height + titleHeight) * density)
  const place = canvas.getContext('2d')
  if (!place) throw new Error('The browser gave no place to draw.')
  place.scale(density, density)
  place.drawImage(image, 0, 0)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('The browser made no picture.')
  saveFile(`${title.replace(/[^\p{L}\p{N}_-]+/gu, ' ').trim() || 'chart'}.png`, blob)
}

function pictureOf(svg: SVGSVGElement, title: string, width: number, height: number): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const parts = [svg, ...svg.querySelectorAll<SVGElement>('*')]
  for (const [at, part] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const style = getComputedStyle(parts[at]!)
    part.removeAttribute('style')
    for (const name of inherited) part.setAttribute(name, style.getPropertyValue(name))
  }
  copy.setAttribute('y', String(titleHeight))
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const page = getComputedStyle(svg.closest('section') ?? document.body)
  const ground =
    page.backgroundColor === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.body).backgroundColor : page.backgroundColor
  const frame = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  frame.setAttribute('width', String(width))
  frame.setAttribute('height', String(height + titleHeight))
  frame.setAttribute('font-family', fonts)
  const back = document.createElementNS(frame.namespaceURI, 'rect')
  for (const [name, value] of [
    ['width', '100%'],
    ['height', '100%'],
    ['fill', ground],
  ] as const) {
    back.setAttribute(name, value)
  }
  const words = document.createElementNS(frame.namespaceURI, 'text')
  for (const [name, value] of [
    ['x', '12'],
    ['y', '24'],
    ['font-size', '15'],
    ['font-weight', '600'],
    ['fill', page.color],
  ] as const) {
    words.setAttribute(name, value)
  }
  words.textContent = title
  frame.append(back, words, copy)
  return new XMLSerializer().serializeToString(frame)
}
