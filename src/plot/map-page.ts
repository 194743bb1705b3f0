/** A map as an HTML page that fills its window: zoom, search, and a legend that picks a category. */
import { labelText, placeLabels, scattered } from "./labels.js";
import { classOf, type DrawnMap, drawMap, type MapDrawing, mapStyle, shownName } from "./map.js";
import { escapeText, htmlPage, marks } from "./theme.js";

/** The map as a page. Without scripts it shows the whole map, with the labels of the SVG file. */
export function mapAsHtml(drawing: MapDrawing): string {
  const map = drawMap(drawing, 0);
  const title = escapeText(drawing.title);
  const notes = drawing.notes.map((note) => `<p class="note">${escapeText(note)}</p>`).join("\n");
  return htmlPage({
    title: drawing.title,
    style: `${mapStyle}\n${pageStyle}`,
    script: pageScript,
    body: `<header><h1>${title}</h1>
${notes}
<p class="tools"><input id="find" type="search" placeholder="Find a phrase" aria-label="Find a phrase" autocomplete="off">
<output id="found"></output>
<button id="in" title="Zoom in (+)">+</button><button id="out" title="Zoom out (-)">−</button>
<button id="whole" title="The whole map (0)">Whole map</button></p></header>
<svg id="map" viewBox="0 0 ${map.width} ${map.height}" tabindex="0" role="img" aria-label="${title}">
${map.body}
</svg>
${legend(map, drawing.categoriesAre)}<div id="tip" role="status" hidden></div>`,
  });
}

function legend({ entries }: DrawnMap, categoriesAre: string | undefined): string {
  if (categoriesAre === undefined) return "";
  const buttons = entries.map(({ name, colour, count }) => {
    const mark = `<svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="${marks[Math.max(colour, 0)]}" class="${classOf(colour)}"/></svg>`;
    return `<button class="entry" data-class="${classOf(colour)}" aria-pressed="false">${mark}${escapeText(shownName(name))} (${count.toLocaleString("en-US")})</button>`;
  });
  return `<p class="legend"><span class="head">${escapeText(categoriesAre)}</span>\n${buttons.join("\n")}</p>\n`;
}

const pageStyle = `html{height:100%}
body{box-sizing:border-box;display:flex;flex-direction:column;gap:.5rem;height:100vh;height:100dvh;max-width:none;
padding:.75rem 1rem}
h1{overflow-wrap:anywhere}p.note{margin:0;font-size:.85rem}
#map{flex:1;min-height:10rem;width:100%;border:1px solid var(--line);border-radius:6px;box-sizing:border-box;
touch-action:none;cursor:grab;user-select:none;-webkit-user-select:none}
#map.moves{cursor:grabbing}
.tools,.legend{display:flex;flex-wrap:wrap;gap:.35rem;align-items:center;margin:.35rem 0 0;font-size:.85rem}
.legend .head,output{color:var(--muted)}
.legend{max-height:25vh;overflow:auto}
.entry svg{width:12px;height:12px;margin-right:.3rem;vertical-align:-1px}
button,input{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--muted);border-radius:4px;padding:.2rem .5rem}
button{cursor:pointer;min-width:2rem}input{min-width:8rem;flex:0 1 16rem}
button[aria-pressed=true]{outline:2px solid var(--ink)}
.faded{opacity:.12}.hit{stroke:var(--ink);stroke-width:2px;fill-opacity:1;vector-effect:non-scaling-stroke}
.labels .strong{font-weight:600}
#tip{position:fixed;pointer-events:none;background:var(--panel);color:var(--ink);border:1px solid var(--line);
border-radius:4px;padding:.2rem .5rem;max-width:min(24rem,90vw);overflow-wrap:anywhere}`;

const pageScript = `"use strict";
${placeLabels}
${scattered}
${labelText}
const byId=id=>document.getElementById(id);
const map=byId("map"),tip=byId("tip"),find=byId("find"),found=byId("found");
const group=map.querySelector(".points"),labels=map.querySelector(".labels");
const symbols=[...map.querySelectorAll("defs path")];
const pen=document.createElement("canvas").getContext("2d");
pen.font="600 12px "+getComputedStyle(document.body).fontFamily;

// Every mark with its phrase and place; the order is that of precedence for labels.
const uses=[...group.querySelectorAll("use")];
const spots=scattered(uses.length).map(place=>{
  const mark=uses[place],title=mark.querySelector("title"),text=title.textContent;
  title.remove();
  mark.dataset.text=text;
  const label=labelText(text.slice(0,mark.dataset.length||text.length));
  const length=Math.ceil(pen.measureText(label).width);
  return{mark,text:text.toLowerCase(),label,length,at:[+mark.getAttribute("x"),+mark.getAttribute("y")],hit:false};
});

// The view: a pixel is a place of the map times scale, plus left and top. A map is turned where that makes it larger.
map.removeAttribute("viewBox");
labels.replaceChildren();
let scale=1,left=0,top_=0,least=1,picked="",turned=false,waits=0;
const place=({at})=>turned?[at[1],at[0]]:at;

function fit(some){
  const{clientWidth:width,clientHeight:height}=map;
  const pad=Math.min(60,width/8,height/8);
  const rangeOf=axis=>{const all=some.map(spot=>place(spot)[axis]);let low=all[0],high=low;
    for(const at of all){low=Math.min(low,at);high=Math.max(high,at)}
    return{middle:(low+high)/2,span:Math.max(high-low,20)}};
  const scaleOf=(wide,tall)=>Math.min((width-2*pad)/wide,(height-2*pad)/tall);
  let across=rangeOf(0),down=rangeOf(1);
  if(some===spots&&scaleOf(down.span,across.span)>scaleOf(across.span,down.span)){
    turned=!turned;
    [across,down]=[down,across];
    for(const spot of spots){const[x,y]=place(spot);spot.mark.setAttribute("x",x);spot.mark.setAttribute("y",y)}
  }
  scale=scaleOf(across.span,down.span);
  left=width/2-scale*across.middle;
  top_=height/2-scale*down.middle;
  if(some===spots)least=scale;
  draw();
}

/** Draws once for all changes before the next picture. */
function draw(){if(!waits)waits=requestAnimationFrame(paint)}

function paint(){
  waits=0;
  tip.hidden=true;
  group.setAttribute("transform","translate("+left+" "+top_+") scale("+scale+")");
  const size=Math.min(2,Math.max(spots.length>400?.8:1.2,Math.sqrt(scale/least)*.8));
  for(const symbol of symbols)symbol.setAttribute("transform","scale("+size/scale+")");
  const{clientWidth:width,clientHeight:height}=map;
  const seen=spots.filter(spot=>!spot.mark.classList.contains("faded")).map(spot=>{
    const[x,y]=place(spot);
    return{spot,x:x*scale+left,y:y*scale+top_,length:spot.length};
  }).filter(({x,y})=>x>=0&&y>=0&&x<=width&&y<=height);
  seen.sort((a,b)=>b.spot.hit-a.spot.hit);
  const most=Math.min(250,Math.ceil(width*height/7000));
  labels.replaceChildren(...placeLabels(seen,{width,height,most,crowd:400}).map(({index,x,y,isLeft})=>{
    const{spot}=seen[index],text=document.createElementNS("http://www.w3.org/2000/svg","text");
    text.textContent=spot.label;
    text.setAttribute("x",x);text.setAttribute("y",y);
    if(isLeft)text.setAttribute("text-anchor","end");
    if(spot.hit)text.setAttribute("class","strong");
    return text;
  }));
}

function zoom(factor,x=map.clientWidth/2,y=map.clientHeight/2){
  const next=Math.min(least*200,Math.max(least*.7,scale*factor));
  left=x-(x-left)*next/scale;top_=y-(y-top_)*next/scale;scale=next;
  draw();
}
function move(x,y){left+=x;top_+=y;draw()}

byId("in").addEventListener("click",()=>zoom(1.5));
byId("out").addEventListener("click",()=>zoom(1/1.5));
byId("whole").addEventListener("click",()=>fit(spots));
map.addEventListener("wheel",event=>{
  event.preventDefault();
  const{left:x,top:y}=map.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY*(event.deltaMode?.05:.0015)),event.clientX-x,event.clientY-y);
},{passive:false});

// One pointer moves the map, two zoom it.
const pointers=new Map();
const middle=()=>{const[a,b=a]=[...pointers.values()];return{x:(a.x+b.x)/2,y:(a.y+b.y)/2,apart:Math.hypot(a.x-b.x,a.y-b.y)}};
map.addEventListener("pointerdown",event=>{
  pointers.set(event.pointerId,{x:event.clientX,y:event.clientY});
  map.setPointerCapture(event.pointerId);
  map.classList.add("moves");
});
for(const name of["pointerup","pointercancel"])map.addEventListener(name,event=>{
  pointers.delete(event.pointerId);
  if(pointers.size===0)map.classList.remove("moves");
});
map.addEventListener("pointermove",event=>{
  if(pointers.has(event.pointerId)){
    const before=middle();
    pointers.set(event.pointerId,{x:event.clientX,y:event.clientY});
    const after=middle(),{left:x,top:y}=map.getBoundingClientRect();
    move(after.x-before.x,after.y-before.y);
    if(before.apart>0)zoom(after.apart/before.apart,after.x-x,after.y-y);
    return;
  }
  const text=event.target.dataset&&event.target.dataset.text;
  tip.hidden=!text;
  if(!text)return;
  tip.textContent=text;
  tip.style.left=Math.max(4,Math.min(event.clientX+12,innerWidth-tip.offsetWidth-8))+"px";
  tip.style.top=Math.min(event.clientY+14,innerHeight-tip.offsetHeight-4)+"px";
});
map.addEventListener("pointerleave",()=>{tip.hidden=true});

const keys={"+":()=>zoom(1.5),"=":()=>zoom(1.5),"-":()=>zoom(1/1.5),"0":()=>fit(spots),"/":()=>find.focus(),
ArrowLeft:()=>move(60,0),ArrowRight:()=>move(-60,0),ArrowUp:()=>move(0,60),ArrowDown:()=>move(0,-60)};
addEventListener("keydown",event=>{
  if(event.target===find||event.ctrlKey||event.metaKey||event.altKey||!Object.hasOwn(keys,event.key))return;
  event.preventDefault();
  keys[event.key]();
});

// Hits are drawn above the others, and the Enter key zooms to them.
find.addEventListener("input",()=>{
  const wanted=find.value.trim().toLowerCase();
  for(const spot of spots){
    spot.hit=wanted!==""&&spot.text.includes(wanted);
    spot.mark.classList.toggle("hit",spot.hit);
    if(spot.hit)group.append(spot.mark);
  }
  const count=spots.filter(({hit})=>hit).length;
  found.textContent=wanted===""?"":count+" found"+(count>0?", Enter zooms":"");
  show();
});
find.addEventListener("keydown",event=>{
  const hits=spots.filter(({hit})=>hit);
  if(event.key==="Enter"&&hits.length>0)fit(hits);
});
const entries=[...document.querySelectorAll(".entry")];
for(const entry of entries)entry.addEventListener("click",()=>{
  picked=picked===entry.dataset.class?"":entry.dataset.class;
  for(const other of entries)other.setAttribute("aria-pressed",String(other.dataset.class===picked));
  show();
});
function show(){
  const searches=spots.some(({hit})=>hit);
  for(const{mark,hit}of spots)
    mark.classList.toggle("faded",searches&&!hit||picked!==""&&!mark.classList.contains(picked));
  draw();
}
// Another size of the window keeps a view that the reader has chosen.
new ResizeObserver(()=>scale===least?fit(spots):draw()).observe(map);`;
