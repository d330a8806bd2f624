#inc\
lude <../x>
%:include MACRO
/* kernelpro launch k<<<1,1>>>(x,y,s) */