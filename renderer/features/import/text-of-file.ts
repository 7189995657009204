// Owns reading the text of a file, whatever it was written as: UTF-8, UTF-16 with its mark, or what spreadsheet programs
// on Windows write. Pure.

/** The text of a file without the mark at its beginning. */
export async function textOfFile(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const text = new TextDecoder().decode(bytes)
    const count = (letters: RegExp): number => text.match(letters)?.length ?? 0
    // A file that was cut, or has a stray byte, is still UTF-8 when other letters of it are.
    const isDamaged = count(/[^\p{ASCII}\ufffd]/gu) > count(/\ufffd/g)
    return isDamaged ? text : new TextDecoder('windows-1252').decode(bytes)
  }
}
