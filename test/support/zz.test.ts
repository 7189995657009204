import { expect, it } from 'vitest'
it('works', () => { expect(1).toBe(1) }); it('skips', (c) => { c.skip('because') }); it.todo('later'); it('fails', ()=>{expect(1).toBe(2)})
