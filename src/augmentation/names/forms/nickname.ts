/** Nicknames of English given names and back: "William Shatner" to "Bill Shatner", "Bob Dylan" to "Robert Dylan". */
import { capitalised, likeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import type { List } from "../../../pearl/augmentation/rule.js";
import { personNameOf } from "../../phrase/initials.js";

const nicknames = `
  abigail:abby abraham:abe adam:ad adelaide:addie agnes:aggie albert:al,bert,bertie alexander:alex,al,sandy,alec
  alexandra:alex,sandra alfred:al,alf,fred alice:ally allison:ally amanda:mandy,amy amelia:amy,millie andrew:andy,drew
  angela:angie anna:annie,ann anne:annie anthony:tony antonio:tony archibald:archie arnold:arnie arthur:art,artie
  augustus:gus barbara:barb,babs bartholomew:bart beatrice:bea benjamin:ben,benny bernard:bernie,bern beverly:bev
  bradley:brad brandon:bran calvin:cal cameron:cam carolyn:carol caroline:carrie cassandra:cass,cassie
  catherine:cathy,kate,cate,katie charles:charlie,chuck,chas charlotte:lottie,charlie chester:chet christian:chris
  christina:chris,tina,christy christine:chris,chrissy christopher:chris,kit,topher clarence:clare clifford:cliff
  clinton:clint constance:connie cornelius:neil,con curtis:curt cynthia:cindy cyril:cy daniel:dan,danny david:dave,davy
  deborah:deb,debbie dennis:denny dominic:dom donald:don,donnie dorothy:dot,dottie,dolly douglas:doug
  edgar:ed edmund:ed,eddie,ned edward:ed,eddie,ted,ned edwin:ed eleanor:nell,ellie,nora elizabeth:liz,beth,betty,eliza,lizzie,betsy
  emily:em,emmy ernest:ernie eugene:gene evelyn:evie ezekiel:zeke ferdinand:ferdie florence:flo,flossie
  frances:fran,fannie francis:frank,fran franklin:frank frederick:fred,freddie,fritz gabriel:gabe geoffrey:geoff george:georgie
  gerald:gerry,jerry gerard:gerry gilbert:gil,bert gregory:greg gwendolyn:gwen hannah:hanna harold:hal,harry harriet:hattie
  harrison:harry helen:nell henry:harry,hank,hal herbert:herb,bert horace:horry howard:howie hubert:hugh,bert
  isaac:ike,zac isabella:bella,izzy isidore:izzy jacob:jake jacqueline:jackie james:jim,jimmy,jamie jane:janie janet:jan
  jason:jay jeffrey:jeff jennifer:jen,jenny jeremiah:jerry jeremy:jerry jerome:jerry jessica:jess,jessie joan:joanie
  john:jack,johnny,jon jonathan:jon,jonny joseph:joe,joey josephine:jo,josie joshua:josh judith:judy,judi julia:julie
  julian:jules katherine:kate,kathy,katie,kay kathleen:kathy,kath kenneth:ken,kenny kimberly:kim lawrence:larry,lawrie
  laurence:larry,laurie leonard:len,lenny,leo leopold:leo leroy:roy leslie:les lewis:lew lillian:lily,lil louis:lou,louie
  louise:lou lucille:lucy magdalena:magda,lena malcolm:mal marcus:marc,mark margaret:maggie,meg,peggy,madge,greta
  maria:mary marjorie:marge martha:marty,patty martin:marty mary:molly,polly,mamie matilda:tilly matthew:matt,matty
  maurice:moe,mo maximilian:max maxwell:max melissa:mel melvin:mel michael:mike,mick,mickey,micky michelle:shelly
  mildred:millie mitchell:mitch montgomery:monty mortimer:mort nancy:nan nathan:nate nathaniel:nat,nate
  nicholas:nick,nicky,nico nicole:nicky,nikki norman:norm oliver:ollie oscar:ozzie pamela:pam patricia:pat,patty,tricia,trish
  patrick:pat,paddy,rick pauline:polly penelope:penny percival:percy peter:pete philip:phil phillip:phil phyllis:phyl
  priscilla:cilla rachel:rae ralph:ralphie randolph:randy,dolph raymond:ray rebecca:becky,becca reginald:reg,reggie
  richard:dick,rick,rich,richie,ricky robert:bob,rob,bobby,robbie,bert roberta:bobbie roderick:rod,roddy rodney:rod
  roger:rodge roland:rollo ronald:ron,ronnie rosemary:rosie rudolph:rudy,dolph rupert:rupe russell:russ salvatore:sal
  samantha:sam samuel:sam,sammy sandra:sandy sarah:sally,sadie sebastian:seb sharon:shari sheldon:shel sidney:sid
  silvester:sly simon:si solomon:sol sophia:sophie stanley:stan stephanie:steph stephen:steve,stevie steven:steve
  stuart:stu susan:sue,susie,suzy susanna:sue suzanne:sue,suzy sylvester:sly,vester terence:terry teresa:terry,tess
  theodore:ted,theo,teddy,dora theresa:terry,tess,tessa thomas:tom,tommy tiffany:tiff timothy:tim,timmy tobias:toby
  valentine:val valerie:val vanessa:nessa vernon:vern veronica:ronnie,vera victor:vic victoria:vicky,tori vincent:vince,vinny
  virginia:ginny,ginger vivian:viv wallace:wally walter:walt,wally,wat wesley:wes wilbur:will wilfred:wilf,fred
  wilhelmina:mina,minnie willard:will william:bill,will,billy,willie,liam winifred:winnie,freddie winston:win
  yvonne:vonnie zachary:zach,zack zachariah:zach
`;

const pairs = nicknames
  .trim()
  .split(/\s+/)
  .flatMap((line) => {
    const [name, short] = line.split(":");
    return short.split(",").map((nickname) => [name, nickname]);
  });

const forms = new Map<string, string[]>();
for (const [name, nickname] of pairs) {
  forms.set(name, [...(forms.get(name) ?? []), nickname]);
  forms.set(nickname, [...(forms.get(nickname) ?? []), name]);
}

/** The full given names of the list, with a capital, to recognise names of persons without WordNet. */
export const englishGivenNames: ReadonlySet<string> = new Set(pairs.map(([name]) => capitalised(name)));

export const useNickname =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const first = personNameOf(phrase, type, givenNames)?.given[0];
    if (first === undefined) return [];
    const at = phrase.indexOf(", ") < 0 ? 0 : phrase.indexOf(", ") + 2;
    const rest = phrase.slice(at + first.length);
    const others = forms.get(first.toLowerCase()) ?? [];
    return others.map((other) => phrase.slice(0, at) + likeCaseOf(first, other) + rest);
  };
